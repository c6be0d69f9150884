/** The mark of a verdict: marks differ in shape, and only then in colour. */
import type { ShownVerdict } from '../../app/contract/protection/verdict.ts';
import styles from './state-mark.module.css';

export function StateMark({ of, size = 32 }: { of: ShownVerdict; size?: number }) {
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

const shapes: Record<ShownVerdict, React.ReactNode> = {
  protected: (
    <>
      <circle className={styles.filled} cx="16" cy="16" r="12.5" />
      <path className={styles.tick} d="m10 16.4 4.4 4.4 8-8.8" />
    </>
  ),
  'not-in-use': <path className={styles.line} d="M16 5A11 11 0 1 0 27 16" />,
  partly: (
    <>
      <path className={styles.filled} d="M15 17V4.5A12.5 12.5 0 1 0 27.5 17z" />
      <path className={styles.thin} d="M19 4.8A11.3 11.3 0 0 1 27.2 13" />
    </>
  ),
  connecting: (
    <>
      <circle className={styles.faint} cx="16" cy="16" r="11" />
      <path className={styles.arc} d="M16 5a11 11 0 0 1 11 11" />
    </>
  ),
  choose: (
    <>
      <path className={styles.line} d="M22.3 7A11 11 0 1 0 27 16" />
      <circle className={styles.filled} cx="16" cy="16" r="4" />
    </>
  ),
  unencrypted: (
    <>
      <circle className={styles.line} cx="16" cy="16" r="11" />
      <path className={styles.line} d="m5 27 22-22" />
    </>
  ),
  blocked: <rect className={styles.filled} x="5" y="5" width="22" height="22" rx="2" />,
  'log-in': (
    <>
      <path className={styles.line} d="M8 28V5h16v23M4 28h24" />
      <circle className={styles.filled} cx="20" cy="17" r="1.8" />
    </>
  ),
  paused: <path className={styles.bars} d="M11 6v20M21 6v20" />,
  off: <circle className={styles.line} cx="16" cy="16" r="11" />,
  'not-responding': <circle className={styles.broken} cx="16" cy="16" r="11" />,
};
