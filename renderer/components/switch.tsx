/** A switch that takes effect at once: the platform's own button, which Enter and Space press. */
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
      <button
        type="button"
        role="switch"
        className={styles.switch}
        data-half={props.half}
        data-large={props.large}
        aria-label={label}
        aria-checked={on}
        disabled={disabled}
        onClick={() => onChange(!on)}
      >
        <span className={styles.thumb} />
      </button>
    </span>
  );
}
