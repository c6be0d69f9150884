/** Diagnostics: health issues, an examination with remedies, the facts, and a report to pass on. */
import type { HealthIssue } from '../../../app/contract/status/health-issue.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { IssueNotice } from '../../components/issue-notice.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { Coverage } from './coverage.tsx';
import styles from './diagnostics-page.module.css';
import { Examination } from './examination.tsx';
import { Report } from './report.tsx';
import { ServiceFacts } from './service-facts.tsx';

export function DiagnosticsPage() {
  const { text } = useWords();
  const known = useStore(useService().status);
  return (
    <div className={styles.page}>
      <h1>{text.frame.pages.diagnostics}</h1>
      {known === null ? (
        <EmptyState title={text.frame.loading} />
      ) : (
        <Health issues={known.value.health} />
      )}
      <Examination />
      {known === null ? null : <Coverage status={known.value} />}
      {known === null ? null : <ServiceFacts status={known.value} />}
      <Report />
    </div>
  );
}

function Health({ issues }: { issues: readonly HealthIssue[] }) {
  const { text } = useWords();
  return (
    <section className={styles.section}>
      <h2>{text.diagnostics.health}</h2>
      {issues.length === 0 ? <p>{text.diagnostics.healthy}</p> : null}
      {issues.map((issue) => (
        <IssueNotice key={`${issue.code} ${issue.subject}`} issue={issue} />
      ))}
    </section>
  );
}
