/**
 * What may leave in cleartext, and why: derived from the rules and the switch. Pure; each permission becomes one ledger entry.
 */
import type { ClearClass } from '../../contract/engine-words.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { HereRule } from '../rules/rules-here.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { NetworkHere } from './policy-in-force.ts';
import type { Switch } from './switch.ts';

export interface Permission {
  class: Extract<ClearClass, 'policy' | 'off' | 'paused' | 'bypass' | 'portal'>;
  network: string;
  networkLabel: string;
  /** class policy: whose upstreams; empty for the default group, and for a rule */
  group: string;
  /** the bypass rule or list of rules, or the one site of a login in a browser; empty without either */
  rule: string;
  /** of a list: a line for each rule, which the ledger keeps under the list's word */
  rules?: string;
  reason: string;
  who: string;
  /** unix milliseconds; null: until something changes */
  until: number | null;
}

export interface PermissionSources {
  effective: Pick<EffectiveSettings, 'settings' | 'sources'>;
  rules: readonly HereRule[];
  position: Switch;
  /** the system's own resolvers; without one nothing is sent, so nothing needs to be permitted */
  servers: readonly string[];
  here: Pick<NetworkHere, 'id' | 'label'>;
}

/** The permissions that do not depend on what works. Class policy comes from the transition. */
export function permissions(from: PermissionSources): Permission[] {
  const { effective, rules, position, servers, here } = from;
  const common = { network: here.id, networkLabel: here.label, group: '' };
  const granted: Permission[] = rules
    .filter((rule) => rule.to.length > 0 && (rule.class === 'bypass' || !isLockedAway(effective)))
    .map(({ rule, list, class: clearClass, reason, who }) => ({
      ...common,
      ...(list === null ? {} : { rules: list.words }),
      class: clearClass,
      rule,
      reason,
      who,
      until: null,
    }));
  if (position.protection !== 'on' && servers.length > 0) {
    const { protection, who, until } = position;
    const reason = protection === 'off' ? 'Sotto was switched off' : 'Sotto was paused';
    granted.push({ ...common, class: protection, rule: '', reason, who, until });
  }
  return granted;
}

/** An administrator allows no downgrade, and a bypass rule that is a downgrade is no exception from that. */
function isLockedAway({ settings, sources }: PermissionSources['effective']): boolean {
  return settings.downgrade === 'refuse' && sources.downgrade.locked;
}

/** True for entries of a bypass rule, of whichever class. */
export function isOfRule({ class: of, rule }: Pick<LedgerEntry, 'class' | 'rule'>): boolean {
  return rule !== '' && (of === 'bypass' || of === 'policy');
}

/**
 * Whether the entry is what the permission wants. In the classes policy and portal, the reason says how it began and the end
 * may be put off; an entry whose time is over matches no permission.
 */
export function isSame(entry: LedgerEntry, permission: Permission, now: number): boolean {
  const identity = ['class', 'network', 'group', 'rule', 'who'] as const;
  if (!identity.every((fact) => entry[fact] === permission[fact])) return false;
  if (isOfRule(entry) || (entry.class !== 'policy' && entry.class !== 'portal'))
    return entry.reason === permission.reason && entry.until === permission.until;
  if (entry.until === null || permission.until === null) return entry.until === permission.until;
  return entry.until > now;
}
