/** The service examines itself as `sotto doctor` does. A remedy that it can carry out itself has a button. */
import type { Finding } from '../../../app/contract/status/finding.ts';
import { FailureWords } from '../../components/failure-words.tsx';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { FoundSection } from './found-section.tsx';
import { useExamination } from './use-examination.ts';

export function Examination() {
  const { text } = useWords();
  const { findings, running, failure, examine } = useExamination();
  return (
    <FoundSection
      words={text.diagnostics.examination}
      variant="main"
      findings={findings}
      running={running}
      look={examine}
      onRemedied={() => toast('done', text.diagnostics.remedies.done)}
      result={<Result findings={findings} />}
    >
      {failure === null ? null : (
        <p role="alert">
          <FailureWords failure={failure} />
        </p>
      )}
    </FoundSection>
  );
}

function Result({ findings }: { findings: readonly Finding[] | null }) {
  const { text, formats } = useWords();
  if (findings === null) return null;
  const count = (verdict: Finding['verdict']) =>
    formats.count(findings.filter((finding) => finding.verdict === verdict).length);
  return text.diagnostics.examination.result(count('ok'), count('warn'), count('fail'));
}
