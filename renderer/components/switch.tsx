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
}

export function Switch({ label, showLabel = true, on, onChange, disabled = false }: SwitchProps) {
  return (
    <span className={styles.line}>
      {showLabel ? <span aria-hidden="true">{label}</span> : null}
      <RadixSwitch.Root
        className={styles.switch}
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
