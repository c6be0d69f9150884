/** Whether the queries of a group find a private path. Pure. */
import { causeOf, gravestFirst } from '../../contract/protection/gravity.ts';
import { inEnglish, type Said, say } from '../../contract/sentences/sentence.ts';
import { isPrivate } from '../../contract/settings/upstream-settings.ts';
import type { EngineUpstreamStatus } from '../engine/boundary.ts';

/** Texts are for people: upstreams by their labels. */
export type GroupPath =
  | { kind: 'private'; upstream: string; tls: string }
  | { kind: 'trying'; upstream: string }
  /** this machine is on no network that could lead to any of them */
  | { kind: 'offline'; upstream: string }
  | { kind: 'none'; upstream: string; why: string; says: readonly Said[] };

export interface PathFacts {
  /** of the group, in order of preference */
  upstreams: readonly EngineUpstreamStatus[];
  /** no route leads to any of their addresses */
  offline: boolean;
  /** the engine reports that queries wait without a path */
  holding: boolean;
  /** since when connections are tried and none has succeeded; null while that is not so */
  tryingSince: number | null;
  now: number;
  labelOf(upstreamId: string): string;
}

/** Longer than any handshake that will still succeed. */
const patienceMs = 10_000;

export function findPath(facts: PathFacts): GroupPath {
  const { offline, holding, tryingSince, now, labelOf } = facts;
  const upstreams = facts.upstreams.filter(({ transport }) => isPrivate(transport));
  const [first] = upstreams;
  if (first === undefined && offline && facts.upstreams[0] !== undefined)
    return { kind: 'offline', upstream: labelOf(facts.upstreams[0].id) };
  if (first === undefined) return none('no upstream', [say('no-upstream')]);

  const reachable = upstreams.find(
    (upstream) => reach(upstream) === 'reachable' && (!holding || isOpen(upstream)),
  );
  if (reachable !== undefined)
    return {
      kind: 'private',
      upstream: labelOf(reachable.id),
      tls: carriedBy(reachable),
    };
  if (offline) return { kind: 'offline', upstream: labelOf(first.id) };
  const trying = upstreams.find((upstream) => reach(upstream) === 'trying');
  const tooLong = tryingSince !== null && now - tryingSince >= patienceMs;
  if (trying !== undefined && !holding && !tooLong)
    return { kind: 'trying', upstream: labelOf(trying.id) };
  return none(labelOf(first.id), whyNot(upstreams, labelOf));
}

/** As people read it. Boxes are opened by whoever has the key; no TLS has a part in that. */
function carriedBy({ transport, path, tls }: EngineUpstreamStatus): string {
  if ((path ?? transport) === 'encdns') return 'EncDNS';
  return tls === null ? 'TLS' : `TLS ${tls.version}`;
}

export type Reach = 'reachable' | 'trying' | 'failing';

/**
 * A connection that rests between queries is as good as an open one. (`path` says that the last one succeeded, perhaps by the
 * other transport than the configured one, whose error stands beside it.) A connection that failed is tried again unnoticed.
 */
export function reach(upstream: EngineUpstreamStatus): Reach {
  if (isOpen(upstream)) return 'reachable';
  if (upstream.state === 'resting') return 'failing';
  if (upstream.path !== null) return 'reachable';
  if (upstream.lastError !== null) return afterError[upstream.lastError.code] ?? 'failing';
  return upstream.answered > 0 ? 'reachable' : 'trying';
}

/** By the code of the last error, where no connection stands and none has been given up since. */
const afterError: Readonly<Record<string, Reach>> = {
  /** a server that answers badly was reached, and has proved its identity */
  'bad-response': 'reachable',
  /** that one connection ended says nothing about the next one, which is made at once */
  dead: 'trying',
  closed: 'trying',
};

/**
 * What the upstream's state says about this network. `dialsBefore` were made on another one, or before the machine slept. As
 * long as no dial has ended since, nothing is known.
 */
export function sinceArrival(
  upstream: EngineUpstreamStatus,
  dialsBefore: number,
): EngineUpstreamStatus {
  const ended = upstream.dials - dialsBefore - dialsUnderWay(upstream);
  if (isOpen(upstream) || ended !== 0) return upstream;
  const state = upstream.state === 'resting' ? 'idle' : upstream.state;
  return { ...upstream, state, path: null, lastError: null, answered: 0 };
}

export function dialsUnderWay({ state }: EngineUpstreamStatus): number {
  return state === 'dialing' ? 1 : 0;
}

/** Connections are being made, and so far none of them has succeeded or failed. */
export function isTrying(upstreams: readonly EngineUpstreamStatus[]): boolean {
  const reaches = upstreams.filter(({ transport }) => isPrivate(transport)).map(reach);
  return !reaches.includes('reachable') && upstreams.some(({ state }) => state === 'dialing');
}

export function isOpen({ state }: EngineUpstreamStatus): boolean {
  return state === 'ready' || state === 'draining';
}

function none(upstream: string, says: readonly Said[]): GroupPath {
  return { kind: 'none', upstream, why: inEnglish(says), says };
}

function whyNot(
  upstreams: readonly EngineUpstreamStatus[],
  labelOf: (id: string) => string,
): Said[] {
  return gravestFirst(upstreams, ({ lastError }) => lastError?.code).map(({ id, lastError }) => {
    const upstream = labelOf(id);
    return lastError === null
      ? say('upstream-unconnected', { upstream })
      : say('upstream-unreachable', {
          upstream,
          message: lastError.text,
          cause: causeOf(lastError),
        });
  });
}
