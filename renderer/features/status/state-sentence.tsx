/** The state in one sentence: it names the upstream, the strength, and the exception. */

import type { ServiceStatus } from '../../../app/contract/service-status.ts';
import { safe } from '../../../app/contract/visible-text.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { useNow } from '../../state/now.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './state-sentence.module.css';

export function StateSentence({ status }: { status: ServiceStatus }) {
  const { text } = useWords();
  const { state } = status.protection;
  return (
    <div className={styles.state}>
      <StateMark of={state} size={40} />
      <div>
        <h1>{text.status.states[state]}</h1>
        <p className={styles.sentence}>
          <Sentence protection={status.protection} />
        </p>
      </div>
    </div>
  );
}

function Sentence({ protection }: Pick<ServiceStatus, 'protection'>) {
  const { text, formats } = useWords();
  const now = useNow(60_000);
  const { sentences } = text.status;
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
    case 'exposed':
      return (
        <Rich
          of={sentences.exposed}
          clear={<strong>{text.status.inClear}</strong>}
          since={formats.moment(protection.since, now)}
        />
      );
    case 'paused':
      return protection.until === null ? (
        sentences.pausedUntilRestart
      ) : (
        <Rich of={sentences.paused} until={formats.moment(protection.until, now)} />
      );
    default:
      return sentences[protection.state];
  }
}
