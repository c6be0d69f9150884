/** What an administrator has decided, and who that was; it is not offered. */
import type { ReactNode } from 'react';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './first-run.module.css';

interface LockedProps {
  setting: EffectiveSetting;
  /** what is in force */
  children: ReactNode;
}

export function Locked({ setting: { lockedBy, source, reason }, children }: LockedProps) {
  const { text } = useWords();
  return (
    <div className={styles.locked}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="M4.5 9h11v8h-11zM7 9V6a3 3 0 0 1 6 0v3" />
      </svg>
      <div>
        <p className={styles.label}>{children}</p>
        <p className={styles.means}>
          {text.firstRun.locked(safe(lockedBy ?? source.file ?? ''))} {safe(reason ?? '')}
        </p>
      </div>
    </div>
  );
}
