/** What went wrong last time; an upstream's settings and its cost so far are folded. */
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import {
  isPrivate,
  networkCarries,
  type UpstreamSetting,
  upstreamNamed,
} from '../../../app/contract/settings/upstream-settings.ts';
import type { UpstreamStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Cause } from '../../components/told.tsx';
import { useNow } from '../../state/now.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import type { Text } from '../../text/catalogue.ts';
import type { Formats } from '../../text/formats.ts';
import { useWords } from '../../text/use-text.ts';
import { strength } from '../home/upstream-lines.tsx';
import { Fact } from './fact.tsx';
import { Stated } from './stated.tsx';
import styles from './upstream-list.module.css';

interface UpstreamFactsProps {
  name: string;
  upstream: UpstreamStatus;
  known: CatalogueEntry | undefined;
  configured: UpstreamSetting | undefined;
  toldAt: number;
}

export function UpstreamFacts(props: UpstreamFactsProps) {
  const { name, upstream, known, configured, toldAt } = props;
  const { text } = useWords();
  const { lastError, restingMs } = upstream;
  return (
    <>
      {lastError === null ? null : (
        <p className={styles.error}>
          {text.upstreams.lastError} <Cause of={lastError} />
        </p>
      )}
      {restingMs > 0 ? <Resting until={toldAt + restingMs} /> : null}
      <details className={styles.facts}>
        <summary>
          {text.home.details} <span className="spoken">{name}</span>
        </summary>
        <Details upstream={upstream} known={known} configured={configured} />
      </details>
    </>
  );
}

function Details({
  upstream,
  known,
  configured,
}: Pick<UpstreamFactsProps, 'upstream' | 'known' | 'configured'>) {
  const { text, formats } = useWords();
  const figures = useStore(useService().stats)?.value.upstreams;
  const counted = { ...upstream, ...figures?.find(({ id }) => id === upstream.id) };
  const words = text.upstreams.facts;
  const [at, proof] = identity(upstream, configured, text, formats);
  return (
    <dl>
      <Fact term={words.called}>{safe(upstream.id)}</Fact>
      <Fact term={words.how}>{strength(upstream, text)}</Fact>
      <Fact term={words.at}>{at}</Fact>
      <Fact term={words.proves}>{proof}</Fact>
      {upstream.transport === 'encdns' ? <Fact term={words.hides}>{words.encdns}</Fact> : null}
      <Fact term={words.soFar}>{cost(counted, text, formats)}</Fact>
      {known === undefined ? null : (
        <Fact term={words.states}>
          <Stated english={known.filtering} />{' '}
          {known.validation === null ? null : <Stated english={known.validation} />}{' '}
          <Stated english={known.logging} />
        </Fact>
      )}
    </dl>
  );
}

function Resting({ until }: { until: number }) {
  const { text, formats } = useWords();
  const left = until - useNow();
  if (left <= 0) return null;
  return <p className={styles.rests}>{text.upstreams.rests(formats.countdown(left))}</p>;
}

/** "192.0.2.1:853" and "dns.example.net, 2 pinned keys" */
function identity(
  { address, transport }: UpstreamStatus,
  configured: UpstreamSetting | undefined,
  text: Text,
  formats: Formats,
): [at: string, proof: string] {
  const words = text.upstreams.facts;
  const addresses = configured === undefined ? [address ?? ''] : [configured.address].flat();
  if (configured?.transport === 'encdns') return boxed(configured, text);
  const proof = isPrivate(transport) ? proofs(configured, text, formats) : words.nothing;
  return [addresses.filter(Boolean).map(safe).join(', '), proof];
}

function proofs(configured: Partial<UpstreamSetting> = {}, text: Text, formats: Formats): string {
  const words = text.upstreams.facts;
  const { name = [], pins = [], certificatePins = [] } = configured;
  const names = [name].flat().map(safe);
  const known = [
    ...(names.length === 0 ? [] : [formats.list(names)]),
    ...(pins.length === 0 ? [] : [words.pins(pins.length)]),
  ];
  return [
    ...(known.length === 0 ? [words.address] : known),
    ...(certificatePins.length === 0 ? [] : [words.certificatePins(certificatePins.length)]),
  ].join(' + ');
}

/** "enc.example, through the network’s resolvers" and the beginning of the key */
function boxed({ address, zone = '', key = '' }: UpstreamSetting, text: Text): [string, string] {
  const words = text.upstreams.facts;
  const carriers = [address]
    .flat()
    .map((one) => (one === networkCarries ? words.network : safe(upstreamNamed(one) ?? one)));
  return [words.below(safe(zone), carriers.join(', ')), words.key(safe(key.slice(0, 8)))];
}

function cost(counted: UpstreamStatus, text: Text, formats: Formats): string {
  const words = text.upstreams.facts;
  const { dials, resumptions, answered, failed, inFlight, handshakeMs, cost: spent } = counted;
  return [
    words.opened(formats.count(dials), dials === 1),
    ...(resumptions === 0 ? [] : [words.resumed(formats.count(resumptions))]),
    words.answered(formats.count(answered), answered === 1),
    ...(spent === null ? [] : [words.reused(formats.count(spent.reused))]),
    ...(failed === 0 ? [] : [words.failed(formats.count(failed))]),
    ...(inFlight === 0 ? [] : [words.waiting(formats.count(inFlight))]),
    ...(handshakeMs === null ? [] : [`${words.handshake} ${formats.latency(handshakeMs)}`]),
    ...(spent === null
      ? []
      : [words.octets(formats.octets(spent.octets.sent), formats.octets(spent.octets.received))]),
  ].join(' · ');
}
