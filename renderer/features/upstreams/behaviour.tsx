/** How an upstream behaves on a second connection. What the server does not say is left out. */
import type { Examination } from '../../../app/contract/probing/probe-report.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Text } from '../../text/catalogue.ts';
import type { Formats } from '../../text/formats.ts';
import { useWords } from '../../text/use-text.ts';
import { Fact } from './fact.tsx';
import { furtherFacts } from './further-facts.ts';
import styles from './test-report.module.css';

const drawn = [
  ...['tickets', 'resumed', 'roundTrips', 'handshakeMs', 'fastOpen', 'roundTripMs', 'answerMs'],
  ...['keepaliveMs', 'padding', 'together', 'dnssec', 'resolver'],
];

export function Behaviour({ of }: { of: Examination }) {
  const { text, formats } = useWords();
  const words = text.upstreams.test.behaviour;
  const { roundTripMs, answerMs, together } = of;
  const answer = answerMs === null ? '' : `, ${words.answer(formats.latency(answerMs))}`;
  return (
    <>
      <h4>{words.title}</h4>
      <dl className={styles.facts}>
        <Fact term={words.resumption}>{resumption(of, text, formats)}</Fact>
        <Fact term={words.roundTrip}>
          {formats.latency(roundTripMs)}
          {answer}
        </Fact>
        <Fact term={words.keepalive}>{keepalive(of, text, formats)}</Fact>
        <Fact term={words.padding}>{padding(of, text, formats)}</Fact>
        <Fact term={words.together}>
          {together === null ? words.unsaid : words.togethers[together]}
        </Fact>
        <Fact term={words.dnssec}>{dnssec(of, text)}</Fact>
        <Fact term={words.itself}>{ofItself(of, text)}</Fact>
        <Fact term={text.upstreams.test.fastOpen}>
          {text.upstreams.test.fastOpens[of.fastOpen]}
        </Fact>
        {furtherFacts(of, drawn).map(([key, value]) => (
          <Fact key={key} term={<code lang="en">{safe(key)}</code>}>
            <code lang="en">{value}</code>
          </Fact>
        ))}
      </dl>
    </>
  );
}

function resumption({ tickets, resumed, handshakeMs }: Examination, text: Text, formats: Formats) {
  const words = text.upstreams.test.behaviour;
  const given = formats.count(tickets);
  const opened = formats.latency(handshakeMs);
  return resumed ? words.resumed(given, opened) : words.notResumed(given, opened);
}

function keepalive({ keepaliveMs }: Examination, text: Text, formats: Formats): string {
  const words = text.upstreams.test.behaviour;
  if (keepaliveMs === null) return words.unsaid;
  return keepaliveMs === 0 ? words.closes : formats.duration(keepaliveMs);
}

function padding({ padding: found }: Examination, text: Text, formats: Formats): string {
  const words = text.upstreams.test.behaviour;
  if (found === null) return words.unsaid;
  if (!found.padded) return words.unpadded;
  return found.block === null ? words.padded : words.block(formats.octets(found.block));
}

function dnssec({ dnssec: found }: Examination, text: Text): string {
  const words = text.upstreams.test.behaviour;
  if (found === null) return words.unsaid;
  return [
    found.authentic ? words.authentic : words.notAuthentic,
    found.signed ? words.signed : words.unsigned,
    ...(found.checkingDisabled ? [words.checking] : []),
  ].join(', ');
}

/** Blocked, censored, filtered (RFC 8914). */
const filtering = [15, 16, 17];

function ofItself({ resolver }: Examination, text: Text): string {
  const words = text.upstreams.test.behaviour;
  if (resolver === null) return words.unsaid;
  const { minimises, extendedErrors, url } = resolver;
  const filters = extendedErrors?.some((code) => filtering.includes(code)) ?? false;
  return [
    minimises ? words.minimises : words.notMinimises,
    filters ? words.filters : words.notFilters,
    ...(url === null ? [] : [safe(url)]),
  ].join(', ');
}
