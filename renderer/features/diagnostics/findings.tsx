/** Findings: what happened, what it means for privacy, and what repairs it. */
import type { Finding } from '../../../app/contract/status/finding.ts';
import { healthIssueKinds } from '../../../app/contract/status/health-issue.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { Told } from '../../components/told.tsx';
import { linkTo } from '../../state/route.ts';
import type { PageName } from '../../text/catalogue.ts';
import { germanFor } from '../../text/loaded.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import { programOf } from '../coverage-fix/fix-words.ts';
import styles from './diagnostics-page.module.css';
import { commandsIn, needsWords, pageFor, type Remedy, readRemedy } from './remedy.ts';

interface FindingsProps {
  label: string;
  findings: readonly Finding[];
  disabled: boolean;
  onRemedy(remedy: Remedy): void;
}

export function Findings({ label, findings, disabled, onRemedy }: FindingsProps) {
  const first = findings.find(({ action }) => readRemedy(action) !== null);
  return (
    <ul aria-label={label} className={styles.findings}>
      {findings.map((finding, index) => (
        <FindingLine
          // biome-ignore lint/suspicious/noArrayIndexKey: the findings of one examination never change places
          key={index}
          finding={finding}
          isFirst={finding === first}
          disabled={disabled}
          onRemedy={onRemedy}
        />
      ))}
    </ul>
  );
}

interface FindingLineProps extends Omit<FindingsProps, 'label' | 'findings'> {
  finding: Finding;
  /** no other with a button is before it */
  isFirst: boolean;
}

function FindingLine(props: FindingLineProps) {
  const { finding } = props;
  const spoken = useWords();
  const { verdict } = finding;
  const { text } = spoken;
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
        <p>
          <Told english={finding.text} says={finding.says.text} />
        </p>
        {verdict === 'ok' ? null : <WhatToDo {...props} />}
      </div>
    </li>
  );
}

/** A button where the service can do it, a page where a person can, and else a command to copy. */
function WhatToDo(props: FindingLineProps) {
  const spoken = useWords();
  const { finding } = props;
  const action = readRemedy(finding.action);
  const page = pageFor(finding);
  const remedy = finding.remedy ?? '';
  const meaning = meaningOf(finding.check, spoken);
  return (
    <>
      {meaning === undefined ? null : <p className={styles.quiet}>{meaning}</p>}
      {remedy === '' || !needsWords(remedy, action, page) ? null : (
        <p className={styles.remedy}>
          <span className="spoken">{spoken.text.frame.remedy}</span>
          <span aria-hidden="true">→ </span>
          <Told english={remedy} says={finding.says.remedy} />
        </p>
      )}
      {action === null && page === null ? (
        commandsIn(remedy).map((command) => <CopyLine key={command} line={command} />)
      ) : (
        <Repairs {...props} action={action} page={page} />
      )}
    </>
  );
}

interface RepairsProps extends FindingLineProps {
  action: Remedy | null;
  page: PageName | null;
}

function Repairs({ finding, isFirst, disabled, onRemedy, action, page }: RepairsProps) {
  const spoken = useWords();
  return (
    <div className={styles.buttons}>
      {action === null ? null : (
        <Button
          variant={isFirst ? 'main' : 'plain'}
          disabled={disabled}
          onClick={() => onRemedy(action)}
        >
          {labelOf(action, finding, spoken)}
        </Button>
      )}
      {page === null ? null : <a href={linkTo(page)}>{pageLabel(finding, page, spoken)}</a>}
    </div>
  );
}

/** A check is one of the examination's own, or has the name of the health issue that it reports. */
function nameOf(check: string, { text, language }: Words): string {
  const own: Readonly<Record<string, string>> = text.diagnostics.checks;
  if (Object.hasOwn(own, check)) return own[check] ?? '';
  const issues: Readonly<Record<string, { title: string }>> =
    germanFor(language)?.healthIssues ?? healthIssueKinds;
  return Object.hasOwn(issues, check) ? (issues[check]?.title ?? '') : safe(check);
}

/** What it means for privacy, where the finding's own words do not say it. */
function meaningOf(check: string, { text }: Words): string | undefined {
  const means: Readonly<Record<string, string>> = text.diagnostics.means;
  return Object.hasOwn(means, check) ? means[check] : undefined;
}

function labelOf(remedy: Remedy, { subject }: Finding, { text }: Words): string {
  const { remedies } = text.diagnostics;
  switch (remedy.method) {
    case 'protection.on':
      return remedies.turnOn;
    case 'consent.retry':
    case 'upstream.retry':
      return remedies.retry;
    case 'upstream.test':
      return remedies.test(safe(subject));
    case 'network.set':
      return remedies.stop;
    case 'settings.restore':
      return remedies.restore;
    case 'portal.open':
      return remedies.login;
    case 'system.take':
      return remedies.take;
    case 'system.giveBack':
      return remedies.giveBack;
    case 'coverage.fix':
      return remedies.fix(programOf(remedy.params.fix));
  }
}

function pageLabel({ check }: Finding, page: PageName, { text }: Words): string {
  if (check === 'consent') return text.diagnostics.decide;
  return page === 'providers'
    ? text.diagnostics.otherProvider
    : text.diagnostics.open(text.frame.pages[page]);
}

const marks = {
  ok: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  warn: <path d="M8 6v3.5m0 2.2v.3M8 1.8 1.2 14h13.6Z" />,
  fail: <path d="m4 4 8 8m0-8-8 8" />,
};
