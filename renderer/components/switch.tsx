/** A switch that takes effect at once. */
import * as RadixSwitch from '@radix-ui/react-switch';
import styles from './switch.module.css';

interface SwitchProps {
  label: string;
  /** for screen readers only, where the label stands beside it anyway */
  showLabel?: boolean;
  on: boolean;
  onChange(on: boolean): void;
  disabled?: boolean;
  /** on for a part of it */
  half?: boolean;
  large?: boolean;
}

export function Switch(props: SwitchProps) {
  const { label, showLabel = true, on, onChange, disabled = false } = props;
  return (
    <span className={styles.line}>
      {showLabel ? <span aria-hidden="true">{label}</span> : null}
      <RadixSwitch.Root
        className={styles.switch}
        data-half={props.half}
        data-large={props.large}
        aria-label={label}
        checked={on}
        onCheckedChange={onChange}
        disabled={disabled}
      >
        <RadixSwitch.Thumb className={styles.thumb} />
      </RadixSwitch.Root>
    </span>
  );
}
