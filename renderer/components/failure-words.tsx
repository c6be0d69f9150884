/** A failed call in words: what happened, what it means, what to do. */
import type { Failure } from '../../app/contract/errors.ts';
import { safe } from '../../app/contract/text/visible-text.ts';
import { toast } from '../state/toasts.ts';
import { wordsForFailure } from '../text/said.ts';
import { useWords } from '../text/use-text.ts';

export function FailureWords({ failure }: { failure: Failure }) {
  const { text, language } = useWords();
  const codes: Readonly<Record<string, string>> = text.frame.failure.codes;
  const known = codes[failure.code] ?? wordsForFailure(failure, language);
  return (
    <>
      <strong>{text.frame.failure.title}</strong>{' '}
      {known ?? (
        <span lang="en">
          {safe(failure.message)} – {safe(failure.remedy)}
        </span>
      )}
    </>
  );
}

/** Shows the failure at the edge of the page; the page itself stays. */
export function tellFailure(failure: Failure): void {
  toast('problem', <FailureWords failure={failure} />);
}
