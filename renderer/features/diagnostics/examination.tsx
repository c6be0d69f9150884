/** The service examines itself as `sotto doctor` does; what it can put right by itself has a button. */
import type { Finding } from '../../../app/contract/finding.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './diagnostics-page.module.css';
import { Findings } from './findings.tsx';
import type { Remedy } from './remedy.ts';
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
        <Findings
          label={words.findings}
          findings={findings}
          disabled={!live || running}
          onRemedy={carryOut}
        />
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
