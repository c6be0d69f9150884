/** Decoded responses: one by itself, or those of every upstream side by side. */

import type { DnsMessage } from '../../../app/contract/dns/dns-message.ts';
import type { ResponseOfOne } from '../../../app/contract/probing/ask-each.ts';
import type { Comparison } from '../../../app/contract/probing/comparison.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Cause, Difference, Told } from '../../components/told.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './answers.module.css';

const most = 50;

export function Answer({ message }: { message: DnsMessage }) {
  const { text, formats } = useWords();
  const { rcode, answer, edns } = message;
  return (
    <div className={styles.answer}>
      <p>
        <strong>{safe(rcode)}</strong> · {text.queryLog.answers.records(answer.length)}
      </p>
      {answer.length === 0 ? null : (
        <ul className={styles.records}>
          {answer.slice(0, most).map((record, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: records of one message never change places
            <li key={index}>
              <code>
                {safe(record.name)} {formats.count(record.ttl)} {safe(record.type)}{' '}
                {safe(record.data)}
              </code>
            </li>
          ))}
        </ul>
      )}
      {answer.length > most ? <p>{text.queryLog.answers.more(answer.length - most)}</p> : null}
      {(edns?.extendedErrors ?? []).map(({ code, text: words }) => (
        <p key={code}>
          {text.queryLog.detail.extendedError} {code} <span lang="en">{safe(words)}</span>
        </p>
      ))}
    </div>
  );
}

export function Answers({ answers }: { answers: readonly ResponseOfOne[] }) {
  const { text, formats } = useWords();
  if (answers.length === 0) return <p>{text.queryLog.answers.asking}</p>;
  const comparison = answers.at(-1)?.comparison ?? null;
  return (
    <>
      {comparison === null ? null : <Compared comparison={comparison} />}
      <ul className={styles.beside} aria-label={text.queryLog.answers.title}>
        {answers.map((one) => (
          <li key={one.upstream} className={styles.one}>
            <h3>{safe(one.upstream)}</h3>
            <p className={styles.cost}>
              {formats.latency(one.connectMs + one.waitMs)}
              {one.cost === 'none' ? '' : ` · ${text.queryLog.costs[one.cost]}`}
            </p>
            {one.error === null ? null : (
              <p>
                <Cause of={one.error} />
              </p>
            )}
            {one.response === null ? null : <Answer message={one.response} />}
            {one.differs.map((difference) => (
              <p key={difference} className={styles.differs}>
                <Difference of={difference} />
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function Compared({ comparison: { sides, text, says } }: { comparison: Comparison }) {
  return (
    <p className={sides === null ? undefined : styles.differs}>
      <Told english={text} says={[says]} />
    </p>
  );
}
