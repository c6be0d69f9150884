/**
 * The findings of an examination, each with what to do about it. A remedy that the service can carry out itself has a button.
 */
import type { Finding } from '../../../app/contract/status/finding.ts';
import { healthIssueKinds } from '../../../app/contract/status/health-issue.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Told } from '../../components/told.tsx';
import { healthIssues as germanIssues } from '../../text/de/health-issues.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import styles from './diagnostics-page.module.css';
import { type Remedy, readRemedy } from './remedy.ts';

interface FindingsProps {
  label: string;
  findings: readonly Finding[];
  /** whether each shows its check; not where all belong to one check */
  isNamed: boolean;
  disabled: boolean;
  onRemedy(remedy: Remedy): Promise<void>;
}

export function Findings({ label, findings, isNamed, disabled, onRemedy }: FindingsProps) {
  return (
    <ul aria-label={label}>
      {findings.map((finding, index) => (
        <FindingLine
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are told one after the other and never change places
          key={index}
          finding={finding}
          isNamed={isNamed}
          disabled={disabled}
          onRemedy={onRemedy}
        />
      ))}
    </ul>
  );
}

interface FindingLineProps {
  finding: Finding;
  isNamed: boolean;
  disabled: boolean;
  onRemedy(remedy: Remedy): Promise<void>;
}

function FindingLine({ finding, isNamed, disabled, onRemedy }: FindingLineProps) {
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
        {isNamed ? <h3>{nameOf(finding.check, spoken)}</h3> : null}
        <p>
          <Told english={finding.text} says={finding.says.text} />
        </p>
        {remedy === null ? null : (
          <p className={styles.remedy}>
            <span className="spoken">{text.frame.remedy}</span>
            <span aria-hidden="true">→ </span>
            <Told english={remedy} says={finding.says.remedy} />
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

/** A check is one of the examination's own, or has the name of the health issue that it reports. */
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
    case 'consent.retry':
      return remedies.retry(safe(subject));
    case 'upstream.test':
      return remedies.test(safe(subject));
    case 'system.take':
      return remedies.take;
  }
}

const marks = {
  ok: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  warn: <path d="M8 6v3.5m0 2.2v.3M8 1.8 1.2 14h13.6Z" />,
  fail: <path d="m4 4 8 8m0-8-8 8" />,
};
