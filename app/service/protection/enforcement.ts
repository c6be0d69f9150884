/**
 * What is in force: settings, switch, and the engine's configuration made of them. It is changed in this order: ledger entries
 * of new permissions on disk, then the engine's configuration with their leases, then the end of the permissions it no longer
 * holds.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Result, succeed } from '../../contract/errors.ts';
import type { EngineConfig } from '../engine/compile-config.ts';
import type { EngineStatus } from '../engine/engine-status.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { Orders } from './engine-orders.ts';
import type { EntryKeeper } from './entry-keeper.ts';
import type { FactsNow } from './facts-now.ts';
import type { GroupObserver } from './group-observer.ts';
import { createGuardianTeller } from './guardian-policy.ts';
import type { ProtectionParts } from './protection-parts.ts';
import type { Switch } from './switch.ts';
import type { ProtectionFacts } from './transition.ts';

export interface Enforcement {
  settings(): EffectiveSettings;
  position(): Switch;
  /** Whether the engine is configured for the network we are on. */
  isHere(): boolean;
  /** The facts of this moment, for what is in force. */
  facts(): ProtectionFacts;
  /** What follows from them, the engine being in this condition. */
  orders(engine: EngineStatus): Orders;
  /** Whether they are carried out already. */
  stands(orders: Orders): boolean;
  /** Whole or not at all: on failure what was in force stays. `why`: a permission that is none any more has ended. */
  enforce(
    wanted: EffectiveSettings,
    next: Switch,
    why: string,
    orders?: Orders,
  ): Promise<Result<null>>;
}

interface Parts
  extends Pick<ProtectionParts, 'engine' | 'ledger' | 'network' | 'tellGuardian' | 'onChange'> {
  entries: EntryKeeper;
  observer: Pick<GroupObserver, 'arrived'>;
  factsNow: FactsNow;
}

/** Nothing is in force before the first `enforce`. */
export function createEnforcement(
  parts: Parts,
  first: EffectiveSettings,
  firstPosition: Switch,
): Enforcement {
  const { engine, ledger, network, entries, observer, factsNow } = parts;
  const guardian = createGuardianTeller(parts.tellGuardian);
  let settings = first;
  let position = firstPosition;
  let config: EngineConfig | null = null;

  return {
    settings: () => settings,
    position: () => position,
    isHere: () => config?.network === network.stay().partition,
    facts: () => factsNow.facts(settings, position, engine.status()),
    orders: (engineNow) => factsNow.orders(settings, position, engineNow),

    stands(orders) {
      const matching = entries.matching(orders.granted);
      if (matching === null || !isDeepStrictEqual(orders.config(matching), config)) return false;
      guardian.inForce(orders.guardian);
      return true;
    },

    async enforce(wanted, next, why, orders = factsNow.orders(wanted, next, engine.status())) {
      guardian.before(orders.guardian);
      const before = ledger.leased();
      const permitted = entries.open(orders.granted);
      const nextConfig = orders.config(permitted);
      const same = isDeepStrictEqual(nextConfig, config);
      const applied = same ? succeed(null) : await engine.apply(nextConfig);
      if (!applied.ok) {
        entries.closeOthers(before, () => 'never in force');
        return applied;
      }
      // Until now dials went on where we were.
      if (config !== null && config.network !== nextConfig.network)
        observer.arrived(engine.status());
      entries.closeOthers(permitted, (entry) => orders.whyOver(entry) ?? why);
      [settings, position, config] = [wanted, next, nextConfig];
      guardian.inForce(orders.guardian);
      parts.onChange();
      return applied;
    },
  };
}
