/** Decides what the system's DNS should be, from what is wanted and what is there. Pure. */

import {
  formatSocketAddress,
  isIPv6,
  parseSocketAddress,
} from '../../contract/dns/socket-address.ts';
import { type Failure, fail } from '../../contract/errors.ts';
import type { SystemDnsMechanism, SystemDnsStatus } from '../../contract/system/system-dns.ts';
import type { Candidate } from './links-to-take.ts';
import type { Mechanism, Observation, ServerAddress, Target } from './mechanism.ts';

export interface DecisionFacts {
  /** the settings `systemDns.take` and `systemDns.mechanism` */
  take: boolean;
  mechanism: 'auto' | SystemDnsMechanism;
  position: 'on' | 'off' | 'paused';
  ending: boolean;
  /** another program keeps changing it */
  contested: boolean;
  /** in the order of preference */
  seen: readonly Seen[];
  /** what holds it now and may only be restarting, so that no other mechanism takes over yet; null: nothing */
  loyalTo: SystemDnsMechanism | null;
  /** what holds it now; null: nothing */
  holder: SystemDnsMechanism | null;
  links: readonly Candidate[];
  /** the search domains where the system is told as a whole; null: those that were there before */
  search: Target['search'];
  /** "ip:port" each */
  listening: readonly string[];
}

export type Seen = Pick<Mechanism, 'name' | 'perLink' | 'anyPort'> & Observation;

export type Decision =
  | {
      kind: 'take';
      mechanism: SystemDnsMechanism;
      targets: Target[];
      servers: ServerAddress[];
      /** why it is not the mechanism that the setting names; null: it is */
      otherwise: Failure | null;
    }
  | { kind: 'give-back'; why: SystemDnsStatus['givenBackFor'] }
  /** it is wanted but not possible: what is held stays until it is possible */
  | { kind: 'wait'; mechanism: SystemDnsMechanism | null; failure: Failure };

/** The helper takes no more. */
const mostServers = 8;

export function decide(facts: DecisionFacts): Decision {
  if (!facts.take || facts.ending) return { kind: 'give-back', why: null };
  // While paused, it stays with us: see docs/design/system-dns.md.
  if (facts.position === 'off') return { kind: 'give-back', why: 'off' };
  if (facts.contested) return { kind: 'give-back', why: 'contested' };
  const wanted = choose(facts);
  if (wanted !== null) return takeBy(wanted, facts, null);
  const failure = noneUsable(facts);
  const instead = standIn(facts);
  return instead === null
    ? { kind: 'wait', mechanism: null, failure }
    : takeBy(instead, facts, failure);
}

function takeBy(
  { name: mechanism, perLink, anyPort }: Seen,
  { listening, links, search: searched }: DecisionFacts,
  otherwise: Failure | null,
): Decision {
  const servers = serversFor(listening, anyPort);
  if (servers.length === 0)
    return { kind: 'wait', mechanism, failure: noServer(mechanism, listening, anyPort) };
  if (!perLink) {
    const search = mechanism === 'network-manager' ? searched : null;
    return { kind: 'take', mechanism, targets: [{ link: null, search }], servers, otherwise };
  }
  if (links.length === 0) return { kind: 'give-back', why: 'no-link' };
  const targets = links.map(({ index, name, search }) => ({ link: { index, name }, search }));
  return { kind: 'take', mechanism, targets, servers, otherwise };
}

/** The mechanism that would hold it, whether it is wanted or not; null: none here. */
export function choose({
  mechanism,
  seen,
  loyalTo,
}: Pick<DecisionFacts, 'mechanism' | 'seen' | 'loyalTo'>): Seen | null {
  const only = mechanism === 'auto' ? loyalTo : mechanism;
  const candidates = only === null ? seen : seen.filter(({ name }) => name === only);
  const found = candidates.find(({ usable }) => usable) ?? null;
  return found !== null && isGoneAround(found, seen) ? null : found;
}

/**
 * Where systemd-resolved answers programs, it asks the resolvers of its links, whatever another mechanism says: it has to be told
 * itself.
 */
function isGoneAround({ name }: Seen, seen: readonly Seen[]): boolean {
  return name !== 'resolved' && resolvedIn(seen) !== null;
}

function resolvedIn(seen: readonly Seen[]): Seen | null {
  return seen.find(({ name, usable }) => name === 'resolved' && usable) ?? null;
}

/** The system's DNS stays with us, and is taken back from others, while the mechanism of the setting can't be used. */
function standIn({ mechanism, holder, seen }: DecisionFacts): Seen | null {
  if (mechanism === 'auto' || holder === null) return null;
  return resolvedIn(seen) ?? seen.find(({ name, usable }) => name === holder && usable) ?? null;
}

/**
 * The addresses at which programs of this machine reach us. They are on loopback only, because the system is to know no other
 * resolver.
 */
export function serversFor(listening: readonly string[], anyPort: boolean): ServerAddress[] {
  const servers = listening.flatMap((text) => {
    const parsed = parseSocketAddress(text);
    if (parsed?.port == null || (!anyPort && parsed.port !== 53)) return [];
    const address = reachedAt(parsed.ip);
    return address === null ? [] : [{ address, port: parsed.port }];
  });
  const key = ({ address, port }: ServerAddress) => formatSocketAddress(address, port);
  return [...new Map(servers.map((server) => [key(server), server])).values()].slice(
    0,
    mostServers,
  );
}

function reachedAt(ip: string): string | null {
  if (ip === '0.0.0.0') return '127.0.0.1';
  if (ip === '::') return '::1';
  const loopback = isIPv6(ip) ? ip === '::1' : ip.startsWith('127.');
  return loopback ? ip : null;
}

function noneUsable({ mechanism, seen }: DecisionFacts): Failure {
  const asked = seen.filter(({ name }) => mechanism === 'auto' || name === mechanism);
  const why = asked
    .map((one) => (one.usable && isGoneAround(one, seen) ? goneAround(one) : one.why))
    .join(' ');
  return fail(
    'no-mechanism',
    `there is no way to the system's DNS here${why === '' ? '' : `: ${why}`}`,
    mechanism === 'auto'
      ? 'point programs at the addresses of "sotto status"'
      : 'choose another with: sotto config set systemDns.mechanism auto',
  ).failure;
}

function goneAround({ name }: Seen): string {
  return `systemd-resolved answers programs here and asks the resolvers of its links, whatever ${name === 'file' ? '/etc/resolv.conf' : name} says.`;
}

function noServer(
  mechanism: SystemDnsMechanism,
  listening: readonly string[],
  anyPort: boolean,
): Failure {
  return fail(
    'no-mechanism',
    anyPort
      ? 'Sotto does not listen on a loopback address'
      : `${mechanism} leads programs to port 53 only, and Sotto listens on ${listening.join(', ') || 'nothing'}`,
    'add "127.0.0.1:53" to the setting "listen"; ports below 1024 need the installed service',
    'listen',
  ).failure;
}
