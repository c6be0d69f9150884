/** One mark a protection state: they differ in shape, and only then in colour. */
import type { ProtectionStateName } from '../../app/contract/protection-state.ts';
import styles from './state-mark.module.css';

/** `unknown`: nobody answers, so nothing is claimed */
export type MarkName = ProtectionStateName | 'unknown';

export function StateMark({ of, size = 32 }: { of: MarkName; size?: number }) {
  return (
    <svg
      className={`${styles.mark} ${styles[of]}`}
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden="true"
      data-mark={of}
    >
      {shapes[of]}
    </svg>
  );
}

const shapes: Record<MarkName, React.ReactNode> = {
  private: <circle className={styles.filled} cx="16" cy="16" r="12" />,
  starting: (
    <>
      <circle className={styles.faint} cx="16" cy="16" r="11" />
      <path className={styles.arc} d="M16 5a11 11 0 0 1 11 11" />
    </>
  ),
  asking: (
    <>
      <path className={styles.line} d="M22.3 7A11 11 0 1 0 27 16" />
      <circle className={styles.filled} cx="16" cy="16" r="3.5" />
    </>
  ),
  exposed: (
    <>
      <circle className={styles.line} cx="16" cy="16" r="11" />
      <path className={styles.line} d="m5 27 22-22" />
    </>
  ),
  refusing: <rect className={styles.filled} x="5" y="5" width="22" height="22" rx="2" />,
  portal: (
    <>
      <path className={styles.line} d="M8 28V5h16v23M4 28h24" />
      <circle className={styles.filled} cx="20" cy="17" r="1.8" />
    </>
  ),
  paused: <path className={styles.bars} d="M11 6v20M21 6v20" />,
  off: <circle className={styles.line} cx="16" cy="16" r="11" />,
  unknown: <circle className={styles.dashes} cx="16" cy="16" r="11" />,
};
