/** How an attempt to protect this computer goes, live: from the prompt to the first query that arrives. */
import { headlineOf } from '../../../app/contract/protection/verdict-words.ts';
import { fill } from '../../../app/contract/sentences/sentence-template.ts';
import { verdictSentences as english } from '../../../app/contract/sentences/verdict.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { germanFor } from '../../text/loaded.ts';
import { Rich } from '../../text/rich.tsx';
import { wordsForFailure } from '../../text/said.ts';
import { useWords } from '../../text/use-text.ts';
import { type Attempt, begin } from './attempt.ts';
import type { Outcome } from './outcome.ts';
import styles from './protect.module.css';

export function AttemptOutcome({ of: outcome }: { of: Outcome }) {
  return (
    <>
      <div role="status" className={styles.outcome} data-tone={outcome.tone}>
        <Sentence outcome={outcome} />
        {outcome.failure === null ? null : <Reason failure={outcome.failure} />}
      </div>
      {outcome.line === null ? null : <CopyLine line={outcome.line} />}
    </>
  );
}

function Sentence({ outcome: { says, tone } }: { outcome: Outcome }) {
  const { text } = useWords();
  const status = useStore(useService().status)?.value ?? null;
  const headline = useHeadline(status);
  if (says === null) return null;
  return (
    <p>
      {tone === 'good' ? <span aria-hidden="true">✓ </span> : null}
      <Rich of={text.protect[says]} headline={headline} />
    </p>
  );
}

/** The verdict in a word or two. */
function useHeadline(status: ServiceStatus | null): string {
  const { language, formats } = useWords();
  const now = useNow();
  if (status === null) return '';
  const sentences: Readonly<Record<string, string>> =
    germanFor(language)?.verdictSentences ?? english;
  const { code, params } = headlineOf(status.verdict);
  const moment = (at: string | number) => formats.moment(Number(at), now);
  return fill(sentences[code] ?? '', params, { plain: String, moment });
}

/** In the reader's language where the page has it; sotto-helper's own reason is in English. */
function Reason({ failure }: { failure: NonNullable<Outcome['failure']> }) {
  const words = wordsForFailure(failure, useWords().language);
  const isWhole = words !== null && failure.code !== 'helper-refused';
  return (
    <p>
      {words}{' '}
      {isWhole ? null : (
        <span lang="en">
          {safe(failure.message)} – {safe(failure.remedy)}
        </span>
      )}
    </p>
  );
}

/** The way back, and another try. */
export function Further({ outcome, change }: { outcome: Outcome; change: Attempt['change'] }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  return (
    <>
      {outcome.mayStop ? (
        <Button disabled={!live} onClick={() => void begin(session, 'give-back')}>
          {text.protect['protect-stop']}
        </Button>
      ) : null}
      {outcome.mayTryAgain ? (
        <Button variant="main" disabled={!live} onClick={() => void begin(session, change)}>
          {text.protect['protect-again']}
        </Button>
      ) : null}
    </>
  );
}
