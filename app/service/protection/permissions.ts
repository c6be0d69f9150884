/** What may leave in clear, and why: read off the settings and the switch. Pure; each becomes one ledger entry. */
import type { LedgerEntry } from '../../contract/ledger-entry.ts';
import type { ClearClass } from '../../contract/query-event.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { type NetworkHere, whoSet } from './policy-in-force.ts';
import type { Switch } from './switch.ts';

export interface Permission {
  class: Extract<ClearClass, 'policy' | 'off' | 'paused' | 'bypass'>;
  network: string;
  networkLabel: string;
  /** class policy: whose upstreams; empty for the default group */
  group: string;
  /** the bypass suffix; empty for the other classes */
  rule: string;
  reason: string;
  who: string;
  /** unix milliseconds; null: until something changes */
  until: number | null;
}

export interface PermissionSources {
  effective: EffectiveSettings;
  position: Switch;
  /** the system's own resolvers; without one nothing is sent, so nothing needs to be permitted */
  servers: readonly string[];
  here: Pick<NetworkHere, 'id' | 'label'>;
}

/** Those that do not depend on what works: class policy is the transition's. */
export function permissions(from: PermissionSources): Permission[] {
  const { effective, position, servers, here } = from;
  const common = { network: here.id, networkLabel: here.label, group: '' };
  const granted: Permission[] = effective.settings.bypass.map(({ suffix, to }) => ({
    ...common,
    class: 'bypass',
    rule: normalSuffix(suffix),
    reason: `bypass rule to ${to.join(', ')}`,
    who: whoSet(effective.sources.bypass),
    until: null,
  }));
  if (position.protection !== 'on' && servers.length > 0) {
    const { protection, who, until } = position;
    const reason = protection === 'off' ? 'Sotto was switched off' : 'Sotto was paused';
    granted.push({ ...common, class: protection, rule: '', reason, who, until });
  }
  return granted;
}

/**
 * Whether the entry is what the permission asks for. Of class policy, the reason tells how it began and the end may be
 * put off; an entry whose time is over is nobody's.
 */
export function isSame(entry: LedgerEntry, permission: Permission, now: number): boolean {
  const identity = ['class', 'network', 'group', 'rule', 'who'] as const;
  if (!identity.every((fact) => entry[fact] === permission[fact])) return false;
  if (entry.class !== 'policy')
    return entry.reason === permission.reason && entry.until === permission.until;
  if (entry.until === null || permission.until === null) return entry.until === permission.until;
  return entry.until > now;
}
