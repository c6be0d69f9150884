/**
 * Carries out a decision, in this order: entries of new permissions are on disk; the engine has its configuration with their
 * leases; permissions that it no longer holds have ended. The guardian learns of a stricter policy before that, and of a looser
 * one afterwards.
 */

import { isDeepStrictEqual } from 'node:util';
import { type Failure, type Result, succeed } from '../../contract/errors.ts';
import type { EngineConfig } from '../engine/boundary.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { linksNamed } from '../engine/links-named.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import { sayRefusal } from '../settings/say-refusal.ts';
import type { ConsentRequests } from './consent-requests.ts';
import { configOf, type Decision } from './decide.ts';
import type { EntryKeeper } from './entry-keeper.ts';
import type { GroupObserver } from './group-observer.ts';
import { createGuardianTeller, type GuardianPolicy } from './guardian-policy.ts';

export interface ApplyParts {
  engine: Pick<EngineDriver, 'apply' | 'status'>;
  health: Pick<HealthRegistry, 'raise' | 'clear'>;
  /** Durable when it returns. */
  tellGuardian(policy: GuardianPolicy): void;
  now(): number;
}

interface Parts extends ApplyParts {
  network: Pick<CurrentNetwork, 'stay' | 'snapshot'>;
  consentRequests: Pick<ConsentRequests, 'open' | 'expire' | 'drop'>;
  entries: Pick<EntryKeeper, 'standing' | 'matching' | 'open' | 'closeOthers'>;
  observer: Pick<GroupObserver, 'arrived'>;
}

export interface Applier {
  /** Whether the engine is configured for the network we are on. */
  isHere(): boolean;
  /**
   * Brings permissions, engine and guardian into force, as a whole or not at all. Resolves to whether anything changed. `why`:
   * for permissions that end without a reason of their own. `insist`: a caller waits for it, so it is tried even if the engine
   * refused a moment ago.
   */
  apply(decision: Decision, why: string, insist: boolean): Promise<Result<boolean>>;
  /** Changes the consent requests, and returns whether any is changed. */
  changeRequests(decision: Decision): boolean;
}

/** The engine would refuse the same configuration again, so it gets it again only after this time. */
const refusalRestMs = 30_000;

/** Nothing is in force before the first decision is applied. */
export function createApplier(parts: Parts): Applier {
  const { engine, network, consentRequests, entries, observer, now } = parts;
  const guardian = createGuardianTeller(parts.tellGuardian);
  /** the engine's, and the links whose numbers it has read */
  let config: EngineConfig | null = null;
  let links: ReturnType<typeof linksNamed> = new Map();
  let refusedAt = Number.NEGATIVE_INFINITY;
  let listens = true;

  const linksOf = (next: EngineConfig) => linksNamed(next, network.snapshot().interfaces);

  function holds(next: EngineConfig): boolean {
    return isDeepStrictEqual(next, config) && isDeepStrictEqual(linksOf(next), links);
  }

  function stands(decision: Decision): boolean {
    const matching = entries.matching(decision.permissions);
    return matching !== null && holds(configOf(decision, matching));
  }

  function isResting(): boolean {
    return now() >= refusedAt && now() - refusedAt < refusalRestMs;
  }

  async function bringIntoForce(decision: Decision, why: string): Promise<Result<boolean>> {
    guardian.before(decision.guardian);
    const before = entries.standing();
    const permitted = entries.open(decision.permissions);
    const next = configOf(decision, permitted);
    if (!holds(next)) {
      const linksNow = linksOf(next);
      const applied = await engine.apply(next);
      if (!applied.ok) {
        entries.closeOthers(before, () => 'never in force');
        return applied;
      }
      noteSuccess();
      const moved = config !== null && config.network !== next.network;
      config = next;
      links = linksNow;
      // Until now dials went on in the old network.
      if (moved) observer.arrived(engine.status());
    }
    entries.closeOthers(permitted, ({ id }) => decision.endings.get(id) ?? why);
    guardian.inForce(decision.guardian);
    return succeed(true);
  }

  /**
   * The engine has no place to count, and so grants no lease, or can't listen at an address that has come. It is not asked again
   * every second, because each attempt writes to the ledger.
   */
  function noteRefusal(failure: Failure): void {
    refusedAt = now();
    listens &&= failure.code !== 'listen-failed';
    const issue = failure.code === 'listen-failed' ? 'listen-failed' : 'ledger-unwritable';
    parts.health.raise(issue, `${sayRefusal(failure)}.`);
  }

  function noteSuccess(): void {
    if (!listens) parts.health.clear('listen-failed');
    listens = true;
  }

  return {
    isHere: () => config?.network === network.stay().partition,

    async apply(decision, why, insist) {
      if (stands(decision)) {
        guardian.inForce(decision.guardian);
        return succeed(false);
      }
      if (insist) return await bringIntoForce(decision, why);
      if (isResting()) return succeed(false);
      const applied = await bringIntoForce(decision, why);
      if (!applied.ok) noteRefusal(applied.failure);
      return applied;
    },

    changeRequests({ requests }) {
      for (const one of requests) {
        if (one.change === 'open') consentRequests.open(one.request);
        else consentRequests[one.change](one.group);
      }
      return requests.length > 0;
    },
  };
}
