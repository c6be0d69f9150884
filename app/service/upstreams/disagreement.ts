/**
 * Whether upstreams contradict each other about one query, beyond what content networks do: other addresses, another order, other
 * lifetimes and aliases within one registrable domain are no disagreement. Failures say nothing. Pure.
 */
import type { DnsMessage } from '../../contract/dns/dns-message.ts';
import type { Judgement } from '../../contract/probing/comparison.ts';
import { publicSuffixList } from '../base/public-suffix-list.ts';
import { isBlockingAddress } from './blocking-addresses.ts';

export interface Responded {
  upstream: string;
  /** null: there was none */
  response: DnsMessage | null;
}

type Verdict = Omit<Judgement, 'compared'>;

interface Judged {
  upstream: string;
  answers: boolean;
  /** null: it has no addresses */
  blocks: boolean | null;
  /** the registrable domain to which aliases lead; null: it has no alias */
  leadsTo: string | null;
}

export function compare(responded: readonly Responded[]): Judgement {
  const judged = responded
    .flatMap(({ upstream, response }) =>
      response === null ? [] : (judge(upstream, response) ?? []),
    )
    .sort((one, other) => (one.upstream < other.upstream ? -1 : 1));
  return { compared: idsOf(judged), ...judgeTogether(judged) };
}

function judgeTogether(judged: readonly Judged[]): Verdict {
  if (judged.length < 2) return { is: 'too-few', sides: null, alone: null };
  const answering = judged.filter(({ answers }) => answers);
  return (
    parted('no-answer', answering, without(judged, answering)) ??
    blockedBySome(answering) ??
    ledElsewhere(answering) ?? { is: 'agreement', sides: null, alone: null }
  );
}

/** Null: it is a failure, or a referral (RFC 2308, section 2.2), and says neither that there is an answer nor that there is none. */
function judge(
  upstream: string,
  { rcode, question, answer, authority }: DnsMessage,
): Judged | null {
  const answers = answer.some(({ type }) => !isLink(type) || type === question?.type);
  const has = (wanted: string) => authority.some(({ type }) => type === wanted);
  const isReferral = rcode === 'NOERROR' && !answers && has('NS') && !has('SOA');
  if (!['NOERROR', 'NXDOMAIN'].includes(rcode) || isReferral) return null;
  const addresses = answer.filter(({ type }) => type === 'A' || type === 'AAAA');
  return {
    upstream,
    answers: answers && rcode === 'NOERROR',
    blocks: addresses.length === 0 ? null : addresses.every(({ data }) => isBlockingAddress(data)),
    leadsTo: endOfAliases(answer),
  };
}

const isLink = (type: string) => ['CNAME', 'DNAME', 'RRSIG'].includes(type);

function endOfAliases(answer: DnsMessage['answer']): string | null {
  const aliases = answer.filter(({ type }) => type === 'CNAME');
  const named = new Set(aliases.map(({ name }) => normal(name)));
  const end = aliases.map(({ data }) => normal(data)).find((target) => !named.has(target));
  return end === undefined ? null : registrableDomain(end);
}

/** By the ICANN part of the public suffix list: what a hoster's customers have is the hoster's. */
function registrableDomain(name: string): string {
  // A dot behind a backslash belongs to its label.
  const plain = name.replace(/\\(?:\d{3}|.)/gs, 'x');
  const asItIs = { detectIp: false, extractHostname: false, validateHostname: false };
  return publicSuffixList().getDomain(plain, asItIs) ?? plain;
}

function normal(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function blockedBySome(answering: readonly Judged[]): Verdict | null {
  const blocking = answering.filter(({ blocks }) => blocks === true);
  const open = answering.filter(({ blocks }) => blocks === false);
  return parted('blocking-address', open, blocking);
}

/** Content networks share a name out, so where more than two lead to three domains, or two and two apart, nobody is alone. */
function ledElsewhere(answering: readonly Judged[]): Verdict | null {
  const aliased = answering.filter(({ leadsTo }) => leadsTo !== null);
  const [most = [], fewest = [], ...more] = [
    ...Map.groupBy(aliased, ({ leadsTo }) => leadsTo).values(),
  ].sort((one, other) => other.length - one.length);
  return more.length > 0 || fewest.length > 1 ? null : parted('other-domain', most, fewest);
}

function parted(
  is: Judgement['is'],
  first: readonly Judged[],
  second: readonly Judged[],
): Verdict | null {
  if (first.length === 0 || second.length === 0) return null;
  const sides: Judgement['sides'] = [idsOf(first), idsOf(second)];
  const [lonely] = sides.filter((side) => side.length === 1);
  const isOneOfMany = first.length + second.length > 2;
  return { is, sides, alone: isOneOfMany ? (lonely?.[0] ?? null) : null };
}

const idsOf = (side: readonly Judged[]) => side.map(({ upstream }) => upstream);

function without<Item>(all: readonly Item[], some: readonly Item[]): Item[] {
  return all.filter((item) => !some.includes(item));
}
