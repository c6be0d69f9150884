/** The certificates as the server sent them. */
import type { ProbeReport } from '../../../app/contract/probing/probe-report.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Formats } from '../../text/formats.ts';
import { useWords } from '../../text/use-text.ts';
import { Fact } from './fact.tsx';
import styles from './test-report.module.css';

export function CertificateChain({ chain }: { chain: ProbeReport['chain'] }) {
  const { text, formats } = useWords();
  const words = text.upstreams.test;
  return (
    <>
      <h4>{words.chain}</h4>
      <ol className={styles.chain}>
        {chain.map(({ subject, issuer, names, notBefore, notAfter, daysLeft, spki }) => (
          <li key={`${subject} ${spki}`}>
            <strong>{safe(subject)}</strong>
            <dl className={styles.facts}>
              {names.length === 0 ? null : (
                <Fact term={words.names}>{names.map(safe).join(', ')}</Fact>
              )}
              <Fact term={words.issuer}>{safe(issuer)}</Fact>
              <Fact term={words.valid}>
                {words.from(moment(notBefore, formats), moment(notAfter, formats))} ·{' '}
                {daysLeft < 0
                  ? words.expired
                  : words.daysLeft(formats.count(daysLeft), daysLeft === 1)}
              </Fact>
              <Fact term={words.pin}>
                <code>{safe(spki)}</code>
              </Fact>
            </dl>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A date that can't be read is shown as it was sent. */
function moment(said: string, formats: Formats): string {
  const at = Date.parse(said);
  return Number.isNaN(at) ? safe(said) : formats.dateTime(at);
}
