/** What the engine is to do, from what was decided. Pure. */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import {
  compileConfig,
  type EngineConfig,
  type EngineGroup,
  type EngineLease,
} from '../engine/compile-config.ts';
import { strictest } from '../network/effective-policy.ts';
import type { HereRule } from '../rules/rules-here.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { timeOver } from './entry-keeper.ts';
import type { GroupFacts } from './group-transition.ts';
import type { GuardianPolicy } from './guardian-policy.ts';
import { isOfRule, type Permission, permissions } from './permissions.ts';
import type { Switch } from './switch.ts';
import { type ProtectionFacts, type Transition, transition } from './transition.ts';

export interface Orders {
  facts: ProtectionFacts;
  decided: Transition;
  granted: Permission[];
  /** giving DNS back is for every name: the strictest policy of any group */
  guardian: GuardianPolicy;
  /** The configuration, once the permissions have their entries. */
  config(entries: readonly LedgerEntry[]): EngineConfig;
  /** Why an entry that is not permitted any more is over; null where that lies in neither facts nor time. */
  whyOver(entry: LedgerEntry): string | null;
}

/** `servers`: the system's own resolvers. */
export function ordersFor(
  effective: EffectiveSettings,
  rules: readonly HereRule[],
  facts: ProtectionFacts,
  servers: string[],
  onBattery: boolean,
): Orders {
  const { position, here, groups, now } = facts;
  const decided = transition(facts);
  return {
    facts,
    decided,
    granted: [
      ...permissions({ effective, rules, position, servers, here }),
      ...decided.permissions,
    ],
    guardian: {
      policy: strictest(groups.map(({ rules }) => rules.policy)) ?? 'refuse',
      locked: effective.sources.downgrade.locked,
    },
    config: (entries) =>
      compileConfig({
        settings: effective.settings,
        certificates: effective.certificates,
        notInClear: effective.notInClear,
        mode: modeOf(position, servers),
        network: here.id,
        moves: facts.moves,
        leases: entries.map(leaseOf),
        rules,
        groups: groups.map(groupOf),
        networkResolvers: servers,
        onBattery,
        portal: facts.portal.asks,
      }),
    whyOver(entry) {
      if (entry.network !== here.id) return ledgerEndings['network-changed'];
      if (entry.class === 'portal' && entry.until !== null && entry.until <= now) return timeOver;
      if (isOfRule(entry)) return whyRuleOver(entry, rules);
      if (entry.class !== 'policy' || position.protection !== 'on') return null;
      if (entry.until !== null && entry.until <= now) return timeOver;
      const group = groups.find(({ rules }) => rules.id === entry.group);
      return group?.path.kind === 'private' ? ledgerEndings['private-again'] : null;
    },
  };
}

function whyRuleOver({ rule }: LedgerEntry, rules: readonly HereRule[]): string | null {
  return rules.some((one) => one.rule === rule) ? null : ledgerEndings['rule-gone'];
}

function modeOf(position: Switch, servers: string[]): EngineConfig['mode'] {
  return position.protection === 'on'
    ? 'private'
    : { direct: { class: position.protection, servers } };
}

/**
 * Under refuse no rung can be meant for anybody; only under fallback is a lease a matter of milliseconds, and without a
 * network none comes.
 */
function groupOf({ rules, path }: GroupFacts): EngineGroup {
  const { id, names, strategy, policy, rungs } = rules;
  return {
    id,
    names,
    strategy,
    rungs: policy === 'refuse' ? [] : rungs,
    hold: policy === 'fallback' && rungs.length > 0 && path.kind !== 'offline',
  };
}

function leaseOf(entry: LedgerEntry): EngineLease {
  return {
    entry: entry.id,
    class: entry.class as EngineLease['class'],
    rule: entry.rule === '' ? null : entry.rule,
    ...(entry.group === '' ? {} : { group: entry.group }),
    until: entry.until,
  };
}
