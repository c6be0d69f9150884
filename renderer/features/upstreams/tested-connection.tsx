/** How the tested connection was made, and what proved the server's identity. */
import type { ProbeReport } from '../../../app/contract/probing/probe-report.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Text } from '../../text/catalogue.ts';
import { useWords } from '../../text/use-text.ts';
import { Fact } from './fact.tsx';
import { furtherFacts } from './further-facts.ts';
import styles from './test-report.module.css';

type Tls = NonNullable<ProbeReport['tls']>;

/** Fields that have a text of their own, here or in the rest of the report. */
const drawn = [
  ...['ok', 'error', 'transport', 'address', 'ms', 'roundTrips', 'fastOpen', 'earlyData'],
  ...['steps', 'tls', 'chain', 'response', 'alternative', 'examination', 'tried', 'clearPackets'],
];
const drawnOfTls = ['version', 'cipher', 'group', 'resumed', 'name', 'pinned'];

export function TestedConnection({ report }: { report: ProbeReport }) {
  const { text, formats } = useWords();
  const words = text.upstreams.test;
  const { address, transport, tls, fastOpen, earlyData, clearPackets } = report;
  const further = [...furtherFacts(report, drawn), ...furtherFacts(tls ?? {}, drawnOfTls)];
  return (
    <>
      <h4>{words.connection}</h4>
      <dl className={styles.facts}>
        <Fact term={words.address}>
          <code>{safe(address)}</code>
        </Fact>
        <Fact term={words.transport}>{text.queryLog.transports[transport]}</Fact>
        {tls === null ? null : (
          <>
            <Fact term={words.protocol}>{words.version(safe(tls.version))}</Fact>
            <Fact term={words.cipher}>{safe(tls.cipher)}</Fact>
            {tls.group === '' ? null : <Fact term={words.keyExchange}>{safe(tls.group)}</Fact>}
            <Fact term={words.handshake}>{tls.resumed ? words.resumed : words.full}</Fact>
            <Fact term={words.proof}>{proofs(tls, text, formats.list)}</Fact>
          </>
        )}
        <Fact term={words.fastOpen}>{words.fastOpens[fastOpen]}</Fact>
        {earlyData === null ? null : (
          <Fact term={words.earlyData}>{words.takes(formats.octets(earlyData))}</Fact>
        )}
        {clearPackets === 0 ? null : (
          <Fact term={words.clearPackets}>{formats.count(clearPackets)}</Fact>
        )}
        {further.map(([key, value]) => (
          <Fact key={key} term={<code lang="en">{safe(key)}</code>}>
            <code lang="en">{value}</code>
          </Fact>
        ))}
      </dl>
    </>
  );
}

function proofs({ name, pinned }: Tls, text: Text, list: (items: string[]) => string): string {
  const words = text.upstreams.test;
  const given = [
    ...(name === null ? [] : [words.nameChecked(safe(name))]),
    ...(pinned ? [words.pinned] : []),
  ];
  return given.length === 0 ? words.unproved : list(given);
}
