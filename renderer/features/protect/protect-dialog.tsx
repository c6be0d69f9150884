/** How an attempt to protect this computer goes, live: from the prompt to the first query that arrives, with the way back. */
import { useEffect, useMemo } from 'react';
import { headlineOf } from '../../../app/contract/protection/verdict-words.ts';
import { fill } from '../../../app/contract/sentences/sentence-template.ts';
import { verdictSentences as english } from '../../../app/contract/sentences/verdict.ts';
import { verdictSentences as german } from '../../../app/contract/sentences/verdict-de.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { type Attempt, attempt, begin, dismiss } from './attempt.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import styles from './protect.module.css';

export function ProtectDialog() {
  const made = useStore(attempt);
  useActions(useProtectActions());
  // A page that goes away leaves no prompt behind.
  useEffect(() => dismiss, []);
  return made === null ? null : <Shown made={made} />;
}

function Shown({ made }: { made: Attempt }) {
  const { text } = useWords();
  const status = useStore(useService().status)?.value ?? null;
  const outcome = outcomeOf(made, status);
  const words = text.protect;
  return (
    <Dialog
      title={made.change === 'take' ? words.protect : words['protect-stop']}
      onClose={dismiss}
      actions={<Further outcome={outcome} change={made.change} />}
    >
      <p className={styles.means}>
        {made.change === 'take' ? words['protect-means'] : words['protect-stop-means']}
      </p>
      <div role="status" className={styles.outcome} data-tone={outcome.tone}>
        <Sentence outcome={outcome} />
        {outcome.failure === null ? null : <Reason failure={outcome.failure} />}
      </div>
      {outcome.line === null ? null : <CopyLine line={outcome.line} />}
    </Dialog>
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
  const sentences: Readonly<Record<string, string>> = language === 'de' ? german : english;
  const { code, params } = headlineOf(status.verdict);
  const moment = (at: string | number) => formats.moment(Number(at), now);
  return fill(sentences[code] ?? '', params, { plain: String, moment });
}

/** The exact reason is the service's, in English. */
function Reason({ failure: { message, remedy } }: { failure: NonNullable<Outcome['failure']> }) {
  return (
    <p lang="en">
      {safe(message)} – {safe(remedy)}
    </p>
  );
}

function Further({ outcome, change }: { outcome: Outcome; change: Attempt['change'] }) {
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

function useProtectActions(): readonly Action[] {
  const { text } = useWords();
  const { session, status } = useService();
  const dns = useStore(status)?.value.systemDns;
  const change = dns?.wanted === true ? 'give-back' : 'take';
  const isOffered = dns != null && dns.mechanism !== null;
  return useMemo(
    () =>
      isOffered
        ? [
            {
              id: 'protect',
              label: change === 'take' ? text.protect.protect : text.protect['protect-stop'],
              run: () => void begin(session, change),
            },
          ]
        : [],
    [text, session, change, isOffered],
  );
}
