/** What a person must know, in the service's own words, with what to do about it. */
import type { HealthIssue } from '../../../app/contract/health-issue.ts';
import { safe } from '../../../app/contract/visible-text.ts';
import { Notice } from '../../components/notice.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './section.module.css';

/** Told by the state's own sentence already. */
const saidByState = ['asking', 'exposed', 'no-private-path'];

export function HealthIssues({ issues }: { issues: readonly HealthIssue[] }) {
  const { text } = useWords();
  const shown = issues.filter(({ code, subject }) => subject !== '' || !saidByState.includes(code));
  if (shown.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{text.status.issues}</h2>
      {shown.map((issue) => (
        <Issue key={`${issue.code} ${issue.subject}`} issue={issue} />
      ))}
    </section>
  );
}

function Issue({ issue: { code, severity, title, text, remedy } }: { issue: HealthIssue }) {
  const several = code === 'settings-invalid' || code === 'policy-file-invalid';
  const lines = several ? text.split('\n') : [text];
  return (
    <div lang="en">
      <Notice severity={severity} title={safe(title)} remedy={safe(remedy)}>
        {lines.map((line) => (
          <p key={line}>{safe(line)}</p>
        ))}
      </Notice>
    </div>
  );
}
