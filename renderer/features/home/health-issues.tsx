/** The health issues, each with what to do about it. */
import type { HealthIssue } from '../../../app/contract/status/health-issue.ts';
import { IssueNotice } from '../../components/issue-notice.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './section.module.css';

/** The state's own sentence says these already. */
const saidByState = ['asking', 'exposed', 'no-private-path', 'captive-portal'];

export function HealthIssues({ issues }: { issues: readonly HealthIssue[] }) {
  const { text } = useWords();
  const shown = issues.filter(({ code, subject }) => subject !== '' || !saidByState.includes(code));
  if (shown.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{text.home.issues}</h2>
      {shown.map((issue) => (
        <IssueNotice key={`${issue.code} ${issue.subject}`} issue={issue} />
      ))}
    </section>
  );
}
