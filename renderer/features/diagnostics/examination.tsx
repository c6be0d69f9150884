/** The service examines itself as `sotto doctor` does; what it can put right by itself has a button. */
import type { Finding } from '../../../app/contract/finding.ts';
import { healthIssueKinds } from '../../../app/contract/health-issue.ts';
import { safe } from '../../../app/contract/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { healthIssues as germanIssues } from '../../text/de/health-issues.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import styles from './diagnostics-page.module.css';
import { type Remedy, readRemedy } from './remedy.ts';
import { useExamination } from './use-examination.ts';

export function Examination() {
  const { text } = useWords();
  const live = useLive();
  const { session } = useService();
  const { findings, running, failure, examine } = useExamination();
  const words = text.diagnostics.examination;

  async function carryOut(remedy: Remedy): Promise<void> {
    const done = await session.call(remedy.method, remedy.params);
    if (!done.ok) return tellFailure(done.failure);
    await examine();
    toast('done', text.diagnostics.remedies.done);
  }

  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      <p className={styles.quiet}>{words.meaning}</p>
      <div className={styles.buttons}>
        <Button variant="main" disabled={!live || running} onClick={() => void examine()}>
          {findings === null ? words.run : words.again}
        </Button>
        <output>{running ? words.running : <Result findings={findings} />}</output>
      </div>
      {failure === null ? null : (
        <p role="alert">
          <FailureWords failure={failure} />
        </p>
      )}
      {findings === null || findings.length === 0 ? null : (
        <ul aria-label={words.findings}>
          {findings.map((finding, index) => (
            <FindingLine
              // biome-ignore lint/suspicious/noArrayIndexKey: findings are told one after the other and never change places
              key={index}
              finding={finding}
              disabled={!live || running}
              onRemedy={carryOut}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Result({ findings }: { findings: readonly Finding[] | null }) {
  const { text, formats } = useWords();
  if (findings === null) return null;
  const count = (verdict: Finding['verdict']) =>
    formats.count(findings.filter((finding) => finding.verdict === verdict).length);
  return text.diagnostics.examination.result(count('ok'), count('warn'), count('fail'));
}

interface FindingLineProps {
  finding: Finding;
  disabled: boolean;
  onRemedy(remedy: Remedy): Promise<void>;
}

function FindingLine({ finding, disabled, onRemedy }: FindingLineProps) {
  const spoken = useWords();
  const { verdict, remedy } = finding;
  const { text } = spoken;
  const action = readRemedy(finding.action);
  return (
    <li className={styles.finding} data-verdict={verdict}>
      <span className={styles.verdict}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          {marks[verdict]}
        </svg>
        {text.diagnostics.verdicts[verdict]}
      </span>
      <div className={styles.words}>
        <h3>{nameOf(finding.check, spoken)}</h3>
        <p lang="en">{safe(finding.text)}</p>
        {remedy === null ? null : (
          <p className={styles.remedy}>
            <span className="spoken">{text.frame.remedy}</span>
            <span aria-hidden="true">→ </span>
            <span lang="en">{safe(remedy)}</span>
          </p>
        )}
        {action === null ? null : (
          <Button disabled={disabled} onClick={() => void onRemedy(action)}>
            {labelOf(action, finding, spoken)}
          </Button>
        )}
      </div>
    </li>
  );
}

/** A check is one of the examination's own, or bears the name of the health issue it tells of. */
function nameOf(check: string, { text, language }: Words): string {
  const own: Readonly<Record<string, string>> = text.diagnostics.checks;
  if (Object.hasOwn(own, check)) return own[check] ?? '';
  const issues: Readonly<Record<string, { title: string }>> =
    language === 'de' ? germanIssues : healthIssueKinds;
  return Object.hasOwn(issues, check) ? (issues[check]?.title ?? '') : safe(check);
}

function labelOf({ method }: Remedy, { subject }: Finding, { text }: Words): string {
  const { remedies } = text.diagnostics;
  switch (method) {
    case 'protection.on':
      return remedies.on;
    case 'ask.retry':
      return remedies.retry(safe(subject));
    case 'upstream.test':
      return remedies.test(safe(subject));
  }
}

const marks = {
  ok: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  warn: <path d="M8 6v3.5m0 2.2v.3M8 1.8 1.2 14h13.6Z" />,
  fail: <path d="m4 4 8 8m0-8-8 8" />,
};
