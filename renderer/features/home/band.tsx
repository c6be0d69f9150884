/** The verdict, and what a person can do about it: the part of Home that a look of three seconds takes in. */
import type { ShownVerdict } from '../../../app/contract/protection/verdict.ts';
import { headlineOf } from '../../../app/contract/protection/verdict-words.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { useLive } from '../../state/service.ts';
import styles from './band.module.css';
import { MainAction } from './main-action.tsx';
import { NotResponding, Start } from './not-responding.tsx';
import { StateControls } from './state-controls.tsx';
import { StateSentence, useVerdictWords } from './state-sentence.tsx';

export function Band({ status }: { status: ServiceStatus }) {
  const headline = useVerdictWords()(headlineOf(status.verdict));
  if (!useLive())
    return (
      <div className={styles.band}>
        <NotResponding last={status} headline={headline} />
        <Start />
      </div>
    );
  return (
    <div className={styles.band} data-tone={tones[status.verdict.is]}>
      <StateSentence status={status} />
      <div className={styles.actions}>
        <MainAction status={status} />
        <StateControls status={status} />
      </div>
    </div>
  );
}

const tones: Record<ShownVerdict, 'private' | 'exposed' | 'refused' | 'quiet'> = {
  protected: 'private',
  partly: 'private',
  'not-in-use': 'exposed',
  choose: 'exposed',
  unencrypted: 'exposed',
  'log-in': 'exposed',
  blocked: 'refused',
  connecting: 'quiet',
  paused: 'quiet',
  off: 'quiet',
  'not-responding': 'quiet',
};
