/** From what is switched, permitted and connected to the one state a person sees. Pure. */
import type { ProtectionState } from '../../contract/protection-state.ts';
import type { LedgerEntry, UpstreamStatus } from '../../contract/service-status.ts';
import { isPrivate } from '../../contract/upstream-settings.ts';
import type { Switch } from './switch.ts';

export interface ProtectionFacts {
  position: Switch;
  /** in order of preference */
  upstreams: readonly UpstreamStatus[];
  /** the open ledger entry that lets clear upstreams be used; null where there is none */
  policyEntry: LedgerEntry | null;
  labelOf(upstreamId: string): string;
}

export function transition(facts: ProtectionFacts): ProtectionState {
  const { position, upstreams, policyEntry, labelOf } = facts;
  if (position.protection === 'off') return { state: 'off', since: position.since };
  if (position.protection === 'paused') return { state: 'paused', until: position.until };
  if (policyEntry !== null)
    return {
      state: 'exposed',
      since: policyEntry.since,
      until: policyEntry.until,
      consent: `allowed by ${policyEntry.who}`,
    };

  const privateOnes = upstreams.filter(({ transport }) => isPrivate(transport));
  const reachable = privateOnes.find((upstream) => reach(upstream) === 'reachable');
  if (reachable !== undefined)
    return {
      state: 'private',
      upstream: labelOf(reachable.id),
      tls: reachable.tls === null ? 'TLS' : `TLS ${reachable.tls.version}`,
    };
  const trying = privateOnes.find((upstream) => reach(upstream) === 'trying');
  if (trying !== undefined) return { state: 'starting', upstream: labelOf(trying.id) };
  return { state: 'refusing', why: whyNot(privateOnes, labelOf) };
}

export type Reach = 'reachable' | 'trying' | 'failing';

/** A connection that rests between questions is as good as an open one; one that failed is tried again unnoticed. */
export function reach({ state, lastError, answered }: UpstreamStatus): Reach {
  if (state === 'ready' || state === 'draining') return 'reachable';
  if (state === 'resting' || lastError !== null) return 'failing';
  return answered > 0 ? 'reachable' : 'trying';
}

function whyNot(upstreams: readonly UpstreamStatus[], labelOf: (id: string) => string): string {
  if (upstreams.length === 0) return 'No upstream can be used.';
  return upstreams
    .map(({ id, lastError }) => `${labelOf(id)}: ${lastError?.text ?? 'no connection'}.`)
    .join(' ');
}
