/**
 * From the facts of one moment to everything that follows from them: the state, what may leave in cleartext, the engine's
 * configuration, the consent requests, the entries of the ledger that are over. Pure; `apply` carries it out.
 */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import { type AccountNumbers, engineWhen } from '../conditions/condition-here.ts';
import type { EngineConfig, EngineGroup, EngineLease } from '../engine/boundary.ts';
import { type ConfigSources, compileConfig } from '../engine/compile-config.ts';
import { strictest } from '../network/effective-policy.ts';
import type { NewConsentRequest } from './consent-requests.ts';
import type { Facts } from './facts.ts';
import type { GroupFacts } from './group-transition.ts';
import type { GuardianPolicy } from './guardian-policy.ts';
import { isOfRule, type Permission, permissions } from './permissions.ts';
import type { NetworkHere } from './policy-in-force.ts';
import type { Switch } from './switch.ts';
import { type Transition, transition } from './transition.ts';

export interface Decision {
  /** everything that may leave in cleartext; each gets an entry in the ledger before it is a lease of the engine */
  permissions: Permission[];
  /** the engine's configuration without the leases, which belong to entries that must be on disk first */
  engine: Omit<ConfigSources, 'leases'>;
  /** giving DNS back concerns every name, so it follows the strictest policy of any group */
  guardian: GuardianPolicy;
  requests: RequestChange[];
  /**
   * by entry id, why an open entry is over, if it is not permitted any more; an entry that is absent ends for the caller's
   * reason
   */
  endings: ReadonlyMap<number, string>;
}

export type RequestChange =
  | { change: 'open'; request: NewConsentRequest }
  | { change: 'expire' | 'drop'; group: string };

export function decide(facts: Facts): Decision {
  const { effective, rules, position, servers, here, groups } = facts;
  const decided = transition(facts);
  const present = new Set(rules.map(({ rule }) => rule));
  return {
    permissions: [
      ...permissions({ effective, rules, position, servers, here }),
      ...decided.permissions,
    ],
    engine: {
      settings: effective.settings,
      certificates: effective.certificates,
      identities: facts.identities,
      notInCleartext: effective.notInCleartext,
      mode: modeOf(position, servers),
      network: here.id,
      networkChanges: facts.networkChanges,
      rules: rules.map((rule) => ({ ...rule, when: engineWhen(rule.when, facts.accounts) })),
      refuseFor: facts.refuseFor.map((one) => engineWhen(one, facts.accounts) ?? everybody),
      groups: groups.map((group) => groupOf(group, facts.accounts)),
      forwarders: facts.forwarders,
      networkResolvers: servers,
      onBattery: facts.onBattery,
      portal: facts.portal.asks,
    },
    guardian: {
      // whoever is refused cleartext here, now or later, is refused it also where the service does not start
      policy:
        effective.settings.refuseFor.length > 0
          ? 'refuse'
          : (strictest(groups.map(({ rules }) => rules.policy)) ?? 'refuse'),
      locked: effective.sources.downgrade.locked,
    },
    requests: decided.requests.map((asked) => requestChange(asked, facts)),
    endings: new Map(
      facts.entries.flatMap((entry) => {
        const why = whyOver(entry, facts, present);
        return why === null ? [] : [[entry.id, why]];
      }),
    ),
  };
}

/** The engine's configuration, once the permissions have these entries. */
export function configOf({ engine }: Decision, entries: readonly LedgerEntry[]): EngineConfig {
  return compileConfig({ ...engine, leases: entries.map(leaseOf) });
}

/** The same as if each permission had its entry: to ask the engine what would be, never to be put into force. */
export function supposedConfig({ engine, permissions }: Decision): EngineConfig {
  const leases = permissions.map((permission, index) => leaseOf({ ...permission, id: index + 1 }));
  return compileConfig({ ...engine, leases });
}

function modeOf(position: Switch, servers: string[]): EngineConfig['mode'] {
  return position.protection === 'on'
    ? 'private'
    : { direct: { class: position.protection, servers } };
}

/** Under refuse no rung is used. Only under fallback does a lease come within milliseconds, and without a network none comes. */
function groupOf({ rules, path }: GroupFacts, accounts: AccountNumbers): EngineGroup {
  const { id, names, strategy, policy, rungs } = rules;
  return {
    id,
    names,
    strategy,
    rungs: policy === 'refuse' ? [] : rungs,
    hold: policy === 'fallback' && rungs.length > 0 && path.kind !== 'offline',
    policy,
    when: engineWhen(rules.when, accounts),
  };
}

const everybody = { users: null, unknownUsers: false, subordinates: [], units: null };

function leaseOf(
  entry: Pick<LedgerEntry, 'id' | 'class' | 'rule' | 'group' | 'until'>,
): EngineLease {
  return {
    entry: entry.id,
    class: entry.class,
    rule: entry.rule === '' ? null : entry.rule,
    group: entry.group,
    until: entry.until,
  };
}

function requestChange(
  { group: id, change }: Transition['requests'][number],
  { groups, here }: Facts,
): RequestChange {
  const group = groups.find(({ rules }) => rules.id === id);
  if (change === 'expire') return { change, group: id };
  if (change === 'drop' || group === undefined) return { change: 'drop', group: id };
  return { change, request: requestOf(group, here) };
}

function requestOf({ rules, path }: GroupFacts, here: NetworkHere): NewConsentRequest {
  return {
    network: here.id,
    networkLabel: here.label,
    group: rules.id,
    upstream: path.upstream,
    why: path.kind === 'none' ? path.why : '',
    rungs: rules.rungs,
    consent: rules.consent,
  };
}

function whyRuleOver({ rule }: LedgerEntry, present: ReadonlySet<string>): string | null {
  return present.has(rule) ? null : ledgerEndings['rule-gone'];
}

/** Null where neither facts nor time say why. */
function whyOver(entry: LedgerEntry, facts: Facts, present: ReadonlySet<string>): string | null {
  const isLate = entry.until !== null && entry.until <= facts.now;
  if (entry.network !== facts.here.id) return ledgerEndings['network-changed'];
  if (entry.class === 'portal' && isLate) return ledgerEndings['time-over'];
  if (isOfRule(entry)) return whyRuleOver(entry, present);
  if (entry.class !== 'policy' || facts.position.protection !== 'on') return null;
  if (isLate) return ledgerEndings['time-over'];
  const group = facts.groups.find(({ rules }) => rules.id === entry.group);
  return group?.path.kind === 'private' ? ledgerEndings['private-again'] : null;
}
