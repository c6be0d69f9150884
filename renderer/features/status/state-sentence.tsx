/** The state in one sentence: it names the upstream, the strength, and the exception. */

import type { ProtectionState } from '../../../app/contract/protection-state.ts';
import type { Said } from '../../../app/contract/sentence.ts';
import type { ServiceStatus } from '../../../app/contract/service-status.ts';
import { safe } from '../../../app/contract/visible-text.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { Consented, Told } from '../../components/told.tsx';
import { useNow } from '../../state/now.ts';
import { useLive } from '../../state/service.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './state-sentence.module.css';

export function StateSentence({ status }: { status: ServiceStatus }) {
  const { text } = useWords();
  const live = useLive();
  const { state } = status.protection;
  const name = text.status.states[state];
  return (
    <div className={styles.state}>
      <StateMark of={state} size={44} />
      <div className={styles.words}>
        <h1>{live ? name : text.status.lastKnown(name)}</h1>
        <p className={styles.sentence}>
          <Sentence protection={status.protection} />
        </p>
        <Exception status={status} />
      </div>
    </div>
  );
}

function Sentence({ protection }: { protection: ProtectionState }) {
  const { text, formats } = useWords();
  const now = useNow();
  const { sentences } = text.status;
  const clear = <strong>{text.status.inClear}</strong>;
  switch (protection.state) {
    case 'private':
      return (
        <Rich
          of={sentences.private}
          upstream={<strong>{safe(protection.upstream)}</strong>}
          tls={safe(protection.tls)}
        />
      );
    case 'starting':
    case 'asking':
      return (
        <Rich
          of={sentences[protection.state]}
          upstream={<strong>{safe(protection.upstream)}</strong>}
        />
      );
    case 'exposed': {
      const { since, until } = protection;
      return (
        <Rich
          of={until === null ? sentences.exposed : sentences.exposedUntil}
          clear={clear}
          since={formats.moment(since, now)}
          left={until === null ? null : formats.duration(Math.max(0, until - now))}
        />
      );
    }
    case 'paused':
      return (
        <Rich
          of={protection.until === null ? sentences.pausedUntilRestart : sentences.paused}
          clear={clear}
          until={protection.until === null ? null : formats.moment(protection.until, now)}
        />
      );
    case 'off':
      return <Rich of={sentences.off} clear={clear} />;
    default:
      return sentences[protection.state];
  }
}

/** The issue of the default group says the same as the state. */
function whyRefused(health: ServiceStatus['health']): readonly Said[] {
  const codes = ['no-private-path', 'no-network'];
  return health.find(({ code, subject }) => subject === '' && codes.includes(code))?.says ?? [];
}

/** What leaves in clear although the state is private, or why nothing is answered. */
function Exception({ status: { protection, clear, health } }: { status: ServiceStatus }) {
  const { text, formats } = useWords();
  if (protection.state === 'refusing' && protection.why !== '')
    return (
      <p className={styles.exception}>
        <Told english={protection.why} says={whyRefused(health)} />
      </p>
    );
  if (protection.state === 'exposed')
    return (
      <p className={styles.exception}>
        <Consented of={protection.consent} />
      </p>
    );
  if (protection.state !== 'private') return null;
  const count = clear.reduce((sum, entry) => sum + (entry.count ?? 0), 0);
  return (
    <p className={styles.exception}>
      {clear.length === 0
        ? text.status.exception.none
        : text.status.exception.some(formats.count(count), count === 1)}
    </p>
  );
}
