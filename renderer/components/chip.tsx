/** One word with a frame around it: quiet, unless it deserves attention. */
import type { ReactNode } from 'react';
import { useWords } from '../text/use-text.ts';
import styles from './chip.module.css';

export type Tone = 'quiet' | 'private' | 'exposed' | 'refused' | 'wait';

interface ChipProps {
  tone?: Tone;
  children: ReactNode;
  /** present where the chip can be removed; a screen reader says `what` */
  onRemove?: () => void;
  what?: string;
}

export function Chip({ tone = 'quiet', children, onRemove, what = '' }: ChipProps) {
  const { text } = useWords();
  return (
    <span className={`${styles.chip} ${styles[tone]}`}>
      {children}
      {onRemove === undefined ? null : (
        <button
          type="button"
          className={styles.remove}
          aria-label={`${text.frame.dismiss}: ${what}`}
          onClick={onRemove}
        >
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <path d="m3 3 6 6m0-6-6 6" />
          </svg>
        </button>
      )}
    </span>
  );
}
