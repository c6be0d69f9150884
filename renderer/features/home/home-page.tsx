/** The page for a look of three seconds: one sentence, what can be done about it, and the facts behind it. */
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { ProtectThisComputer } from '../protect/protect-this-computer.tsx';
import { Consent } from './consent.tsx';
import { Figures } from './figures.tsx';
import { HealthIssues } from './health-issues.tsx';
import styles from './home-page.module.css';
import { NetworkLine } from './network-line.tsx';
import { OpenEntries } from './open-entries.tsx';
import { PortalLogin } from './portal-login.tsx';
import { StateControls } from './state-controls.tsx';
import { StateSentence } from './state-sentence.tsx';
import { SystemDns } from './system-dns.tsx';
import { UpstreamLines } from './upstream-lines.tsx';

export function HomePage() {
  const known = useStore(useService().status);
  return known === null ? <NothingKnown /> : <Picture status={known.value} />;
}

function Picture({ status }: { status: ServiceStatus }) {
  const isOffered = status.verdict.is === 'not-in-use' && status.systemDns?.mechanism != null;
  return (
    <div className={styles.page}>
      <div className={styles.top}>
        <StateSentence status={status} />
        <StateControls protection={status.protection} />
      </div>
      {isOffered ? (
        <div>
          <ProtectThisComputer variant="main" />
        </div>
      ) : null}
      {status.protection.state === 'exposed' && canBeStopped(status) ? <StopNow /> : null}
      {status.portal === null ? null : <PortalLogin portal={status.portal} />}
      <Consent status={status} />
      <HealthIssues issues={status.health} />
      <Figures status={status} />
      <OpenEntries entries={status.clear} />
      <UpstreamLines upstreams={status.upstreams} />
      <NetworkLine status={status} />
      <SystemDns of={status.systemDns} isOffered={isOffered} />
    </div>
  );
}

/** A stricter policy ends what a policy allowed; a rule that is a downgrade ends when the rule does. */
function canBeStopped({ clear }: ServiceStatus): boolean {
  return clear.some((entry) => entry.class === 'policy' && entry.rule === '');
}

/** Sets the strictest policy for the present network, from now on. */
function StopNow() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  async function stop(): Promise<void> {
    const done = await session.call('network.set', { policy: 'refuse' });
    if (!done.ok) tellFailure(done.failure);
  }
  return (
    <div>
      <Button variant="danger" disabled={!live} onClick={stop}>
        {text.home.stop}
      </Button>
    </div>
  );
}

function NothingKnown() {
  const { text } = useWords();
  const state = useStore(useService().session.state);
  const coming = state.is === 'connecting' || state.is === 'connected';
  return (
    <div className={styles.nothing} aria-busy={coming}>
      <StateMark of={coming ? 'connecting' : 'not-responding'} size={44} />
      <EmptyState
        level={1}
        title={coming ? text.frame.connection.connecting : text.home.notResponding}
      >
        {coming ? undefined : text.home.unknown}
      </EmptyState>
    </div>
  );
}
