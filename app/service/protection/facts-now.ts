/** What is decided from, read at one moment: where we are, each group with its paths and its question, a login. */
import type { EngineStatus } from '../engine/engine-status.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { Asks } from './asks.ts';
import { type Orders, ordersFor } from './engine-orders.ts';
import type { EntryKeeper } from './entry-keeper.ts';
import type { GroupObserver } from './group-observer.ts';
import { rulesInForce } from './policy-in-force.ts';
import type { PortalFacts } from './portal-facts.ts';
import type { ProtectionParts } from './protection-parts.ts';
import type { Switch } from './switch.ts';
import type { ProtectionFacts } from './transition.ts';

export interface FactsNow {
  facts(wanted: EffectiveSettings, position: Switch, engine: EngineStatus): ProtectionFacts;
  /** What follows from them. */
  orders(wanted: EffectiveSettings, position: Switch, engine: EngineStatus): Orders;
}

interface Sources
  extends Pick<ProtectionParts, 'network' | 'serversFor' | 'rulesFor' | 'onBattery' | 'now'> {
  asks: Pick<Asks, 'current'>;
  entries: Pick<EntryKeeper, 'exposures' | 'wideRules'>;
  observer: Pick<GroupObserver, 'groups'>;
  portal(): PortalFacts;
}

export function createFactsNow(sources: Sources): FactsNow {
  const { network, asks, entries, observer } = sources;

  function facts(
    wanted: EffectiveSettings,
    position: Switch,
    engine: EngineStatus,
  ): ProtectionFacts {
    const groups = observer.groups(wanted, rulesInForce(wanted, network), engine);
    return {
      now: sources.now(),
      here: {
        id: network.stay().partition,
        label: network.label(),
        authenticated: network.confirmed(),
      },
      moves: network.snapshot().moves,
      position,
      groups: groups.map((group) => ({ ...group, ask: asks.current(group.rules.id) })),
      exposures: entries.exposures(),
      wideRules: entries.wideRules(),
      portal: sources.portal(),
    };
  }

  return {
    facts,
    orders(wanted, position, engine) {
      const from = facts(wanted, position, engine);
      const toServers =
        position.protection !== 'on' ||
        from.groups.some(({ rules }) => rules.rungs.includes('network'));
      const servers = toServers ? sources.serversFor(wanted) : [];
      const { rules } = sources.rulesFor(wanted);
      return ordersFor(wanted, rules, from, servers, sources.onBattery());
    },
  };
}
