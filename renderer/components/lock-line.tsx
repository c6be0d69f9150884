/** Beside what somebody else has locked: who, and why. */
import { safe } from '../../app/contract/text/visible-text.ts';
import { Rich } from '../text/rich.tsx';
import { useWords } from '../text/use-text.ts';
import styles from './lock-line.module.css';

interface Locked {
  locked: boolean;
  /** null: a policy without a name */
  lockedBy: string | null;
  reason: string | null;
}

/** Nothing where it is not locked, or not known. */
export function LockLine({ of }: { of: Locked | undefined }) {
  const { text } = useWords();
  if (!of?.locked) return null;
  const { lockedBy, reason } = of;
  const words = text.frame.lock;
  return (
    <span className={styles.lock}>
      <LockMark />
      <span>
        <Rich
          of={reason === null ? words.by : words.because}
          who={lockedBy === null ? words.someone : <strong>{safe(lockedBy)}</strong>}
          reason={safe(reason ?? '')}
        />
      </span>
    </span>
  );
}

export function LockMark() {
  return (
    <svg className={styles.mark} viewBox="0 0 12 12" aria-hidden="true">
      <path d="M3 5.5V4a3 3 0 0 1 6 0v1.5M2 5.5h8v5H2Z" />
    </svg>
  );
}
