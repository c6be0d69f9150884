/** Step 3: all programs of this computer, followed until a query arrives; a single program, for whoever wants that. */
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { type Attempt, attempt } from '../protect/attempt.ts';
import { AttemptOutcome, Further } from '../protect/attempt-outcome.tsx';
import { type Outcome, outcomeOf } from '../protect/outcome.ts';
import { ProtectThisComputer } from '../protect/protect-this-computer.tsx';
import styles from './first-run.module.css';
import { Locked } from './locked.tsx';
import { PointPrograms } from './point-programs.tsx';

/** The setting `systemDns.take`. */
export function ProtectStep({ setting }: { setting: EffectiveSetting | undefined }) {
  const { text } = useWords();
  const status = useStore(useService().status)?.value ?? null;
  const made = useAttempt(status);
  const words = text.firstRun.programs;
  if (status?.systemDns?.mechanism == null)
    return (
      <>
        <p className={styles.text}>{words.none}</p>
        <PointPrograms />
      </>
    );
  const outcome = made === null ? null : outcomeOf(made, status);
  return (
    <>
      <div className={styles.state}>
        <StateMark of={markOf(outcome, status)} size={56} />
        <div className={styles.protect}>
          {outcome === null ? (
            <p className={styles.text}>{text.protect['protect-means']}</p>
          ) : (
            <AttemptOutcome of={outcome} />
          )}
          <Change setting={setting} made={made} outcome={outcome} />
        </div>
      </div>
      <details className={styles.fold}>
        <summary>{words.one}</summary>
        <div>
          <PointPrograms />
        </div>
      </details>
    </>
  );
}

/** What is wanted already is followed like an attempt of now. */
function useAttempt(status: ServiceStatus | null): Attempt | null {
  const made = useStore(attempt);
  const isStopped = made?.is === 'made' && made.change === 'give-back';
  if (made !== null && !(isStopped && status?.systemDns?.wanted === false)) return made;
  return status?.systemDns?.wanted ? { is: 'made', change: 'take' } : null;
}

/** It is never green before a query of this computer arrived. */
function markOf(outcome: Outcome | null, { verdict }: ServiceStatus) {
  if (outcome?.tone === 'busy') return 'connecting';
  if (outcome?.says === 'taking-working' || outcome?.says === 'taking-partly') return verdict.is;
  return 'not-in-use';
}

interface ChangeProps {
  setting: EffectiveSetting | undefined;
  made: Attempt | null;
  outcome: Outcome | null;
}

function Change({ setting, made, outcome }: ChangeProps) {
  const { text } = useWords();
  if (setting?.locked) {
    const { 'taking-led-here': led, 'taking-not-wanted': notWanted } = text.protect;
    return <Locked setting={setting}>{setting.value === true ? led : notWanted}</Locked>;
  }
  return (
    <div className={styles.measure}>
      {made === null || outcome === null ? (
        <ProtectThisComputer variant="main" />
      ) : (
        <Further outcome={outcome} change={made.change} />
      )}
    </div>
  );
}
