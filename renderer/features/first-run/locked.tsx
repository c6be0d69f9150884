/** Says who has locked the decision, where it is locked. */
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './first-run.module.css';

export function Locked({ setting }: { setting: EffectiveSetting | undefined }) {
  const { text } = useWords();
  if (!setting?.locked) return null;
  const { lockedBy, source, reason } = setting;
  return (
    <p className={styles.locked}>
      {text.firstRun.locked(safe(lockedBy ?? source.file ?? ''))} {safe(reason ?? '')}
    </p>
  );
}
