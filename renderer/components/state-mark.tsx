/** The mark of a verdict: marks differ in shape, and only then in colour. */
import type { ShownVerdict } from '../../app/contract/protection/verdict.ts';
import { markField, verdictMarks } from '../../app/contract/protection/verdict-marks.ts';
import styles from './state-mark.module.css';

export function StateMark({ of, size = 32 }: { of: ShownVerdict; size?: number }) {
  return (
    <svg
      className={`${styles.mark} ${styles[of]}`}
      width={size}
      height={size}
      viewBox={`0 0 ${markField} ${markField}`}
      aria-hidden="true"
      data-mark={of}
    >
      {verdictMarks[of].map(({ d, line, isFaint }) => (
        <path
          key={d}
          d={d}
          className={line === undefined ? styles.filled : styles.line}
          strokeWidth={line}
          opacity={isFaint ? 0.35 : undefined}
        />
      ))}
    </svg>
  );
}
