/** The verdict on this computer's queries: a headline and the sentences below it. */

import { headlineOf, sentencesOf } from '../../../app/contract/protection/verdict-words.ts';
import type { Said } from '../../../app/contract/sentences/sentence.ts';
import { fill } from '../../../app/contract/sentences/sentence-template.ts';
import { verdictSentences as english } from '../../../app/contract/sentences/verdict.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { Consented, Told } from '../../components/told.tsx';
import { useNow } from '../../state/now.ts';
import { germanFor } from '../../text/loaded.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './state-sentence.module.css';

export function StateSentence({ status }: { status: ServiceStatus }) {
  const say = useVerdictWords();
  const { verdict } = status;
  return (
    <div className={styles.state}>
      <StateMark of={verdict.is} size={72} />
      <div className={styles.words}>
        <h1>{say(headlineOf(verdict))}</h1>
        <p className={styles.sentence}>
          {sentencesOf(verdict).map((said) => (
            <Sentence key={said.code} of={say(said)} params={said.params} />
          ))}
        </p>
        <Reason status={status} />
      </div>
    </div>
  );
}

/** Names keep their parameters, which other code replaces by elements. */
const names = { upstream: '{upstream}', programs: '{programs}' };

export function useVerdictWords(): (said: Said) => string {
  const { formats, language } = useWords();
  const now = useNow();
  const sentences: Readonly<Record<string, string>> =
    germanFor(language)?.verdictSentences ?? english;
  return ({ code, params }) =>
    fill(
      sentences[code] ?? '',
      { ...params, ...names },
      {
        plain: String,
        moment: (at) => formats.moment(Number(at), now),
        left: (until) => formats.duration(Math.max(0, Number(until) - now)),
      },
    );
}

function Sentence({ of, params: { upstream, programs } }: { of: string; params: Said['params'] }) {
  const named = (name: string | number = '') => <strong>{safe(String(name))}</strong>;
  return (
    <>
      <Rich of={of} upstream={named(upstream)} programs={named(programs)} />{' '}
    </>
  );
}

/** The issue of the default group says the same as the verdict. */
function whyBlocked(health: ServiceStatus['health']): readonly Said[] {
  const codes = ['no-private-path', 'no-network'];
  return health.find(({ code, subject }) => subject === '' && codes.includes(code))?.says ?? [];
}

/** Why there are no answers, or who allowed queries to leave unencrypted. */
function Reason({ status: { verdict, health } }: { status: ServiceStatus }) {
  if (verdict.is === 'blocked' && verdict.cause !== '')
    return (
      <p className={styles.exception}>
        <Told english={verdict.cause} says={whyBlocked(health)} />
      </p>
    );
  if (verdict.is === 'unencrypted' && verdict.consent !== '')
    return (
      <p className={styles.exception}>
        <Consented of={verdict.consent} />
      </p>
    );
  return null;
}
