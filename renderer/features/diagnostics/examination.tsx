/** The service examines itself as `sotto doctor` does: what is wrong comes first, what is fine is folded. */
import type { Finding } from '../../../app/contract/status/finding.ts';
import type { HealthIssue } from '../../../app/contract/status/health-issue.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { IssueNotice } from '../../components/issue-notice.tsx';
import { useNow } from '../../state/now.ts';
import { useLive } from '../../state/service.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import { FixDialog } from '../coverage-fix/fix-dialog.tsx';
import styles from './diagnostics-page.module.css';
import { Findings } from './findings.tsx';
import { type InOrder, inOrder } from './found-in-order.ts';
import { type ExaminationState, useExamination } from './use-examination.ts';
import { type Repaired, useRepairs } from './use-repairs.ts';

/** `health`: what the service says of itself, for those who may not examine it */
export function Examination({ health }: { health: readonly HealthIssue[] }) {
  const { text } = useWords();
  const examination = useExamination();
  const { findings, running, failure, examine } = examination;
  const repairs = useRepairs(examine);
  const live = useLive();
  const disabled = !live || running || repairs.busy;
  const found = findings === null ? null : inOrder(findings);
  return (
    <section className={styles.section} aria-labelledby="examination" aria-busy={running}>
      <div className={styles.top}>
        <div>
          <h2 id="examination" className={styles.result}>
            {headline(found, failure !== null)}
          </h2>
          <p className={styles.quiet} role="status">
            <Moment of={examination} />
          </p>
        </div>
        <Button disabled={disabled} onClick={() => void examine()}>
          {text.diagnostics.examination.again}
        </Button>
      </div>
      <Told of={repairs.last} disabled={disabled} undo={repairs.undo} />
      {failure === null ? null : (
        <>
          <p role="alert">
            <FailureWords failure={failure} />
          </p>
          {health.map((issue) => (
            <IssueNotice key={`${issue.code} ${issue.subject}`} issue={issue} />
          ))}
        </>
      )}
      {found === null ? null : (
        <Found found={found} disabled={disabled} onRemedy={repairs.repair} />
      )}
      {repairs.fixing === null ? null : (
        <FixDialog
          fix={repairs.fixing}
          onClose={repairs.closeFix}
          onChanged={() => void examine()}
        />
      )}
    </section>
  );

  function headline(of: InOrder | null, isRefused: boolean): string {
    if (of === null) return text.diagnostics.examination[isRefused ? 'title' : 'running'];
    return resultOf(of);
  }

  function resultOf({ failed, doubtful }: InOrder): string {
    const { allFine, problems, considered } = text.diagnostics.examination;
    if (failed === 0 && doubtful === 0) return allFine;
    if (failed === 0) return considered(`${doubtful}`, doubtful === 1);
    if (doubtful === 0) return problems(`${failed}`, failed === 1);
    return `${problems(`${failed}`, failed === 1)}, ${considered(`${doubtful}`, doubtful === 1)}`;
  }
}

function Moment({ of: { findings, at, running } }: { of: ExaminationState }) {
  const { text, formats } = useWords();
  const now = useNow();
  const words = text.diagnostics.examination;
  if (running && findings !== null) return words.running;
  return findings === null ? words.meaning : words.examined(formats.moment(at, now));
}

interface FoundProps {
  found: InOrder;
  disabled: boolean;
  onRemedy: Parameters<typeof Findings>[0]['onRemedy'];
}

function Found({ found: { problems, fine }, disabled, onRemedy }: FoundProps) {
  const { text } = useWords();
  const words = text.diagnostics.examination;
  const list = (label: string, findings: readonly Finding[]) => (
    <Findings label={label} findings={findings} disabled={disabled} onRemedy={onRemedy} />
  );
  return (
    <>
      {problems.length === 0 ? null : list(words.wrong, problems)}
      {fine.length === 0 ? null : (
        <details className={styles.fine}>
          <summary>{words.fine(`${fine.length}`)}</summary>
          {list(words.right, fine)}
        </details>
      )}
    </>
  );
}

interface ToldProps {
  of: Repaired | null;
  disabled: boolean;
  undo(): void;
}

/** What the last repair did, with the way back. */
function Told({ of, disabled, undo }: ToldProps) {
  const words = useWords();
  return (
    <div role="status">
      {of === null ? null : (
        <div className={styles.told}>
          <p>{wordsOf(of, words)}</p>
          {of.undo === null ? null : (
            <Button disabled={disabled} onClick={undo}>
              {words.text.diagnostics.remedies.undo}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function wordsOf({ what, about }: Repaired, { text }: Words): string {
  return text.diagnostics.done[what](about);
}
