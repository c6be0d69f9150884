/** The page for a look of three seconds: the verdict, what can be done about it, and what this computer asks. */
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { Band } from './band.tsx';
import { Columns } from './columns.tsx';
import { Consent } from './consent.tsx';
import { Details } from './details.tsx';
import { HealthIssues } from './health-issues.tsx';
import styles from './home-page.module.css';
import { NotResponding, Start } from './not-responding.tsx';
import { OpenEntries } from './open-entries.tsx';
import { PauseLock } from './pause-lock.tsx';
import { PortalLogin } from './portal-login.tsx';
import { QueriesChart } from './queries-chart.tsx';

export function HomePage() {
  const known = useStore(useService().status);
  return known === null ? <NothingKnown /> : <Picture status={known.value} />;
}

function Picture({ status }: { status: ServiceStatus }) {
  const { verdict, portal, systemDns } = status;
  const isOffered = verdict.is === 'not-in-use' && systemDns?.mechanism != null;
  return (
    <div className={styles.page}>
      <Band status={status} />
      <PauseLock />
      {portal === null ? null : <PortalLogin portal={portal} inBand={verdict.is === 'log-in'} />}
      <Consent status={status} />
      <HealthIssues issues={status.health} />
      <OpenEntries entries={status.clear} />
      <QueriesChart status={status} />
      <Columns status={status} />
      <Details status={status} isOffered={isOffered} />
    </div>
  );
}

function NothingKnown() {
  const { text } = useWords();
  const state = useStore(useService().session.state);
  const coming = state.is === 'connecting' || state.is === 'connected';
  return (
    <div className={styles.nothing} aria-busy={coming}>
      {coming ? (
        <>
          <StateMark of="connecting" size={72} />
          <EmptyState level={1} title={text.frame.connection.connecting} />
        </>
      ) : (
        <>
          <NotResponding last={null} />
          <Start />
        </>
      )}
    </div>
  );
}
