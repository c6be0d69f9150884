/** What may leave in clear, and why: read off the settings and the switch. Pure; each becomes one ledger entry. */
import type { ClearClass } from '../../contract/query-event.ts';
import { hasOnlyClearUpstreams } from '../engine/compile-config.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { SettingSource } from '../settings/settings-layers.ts';
import type { Switch } from './switch.ts';

export interface Permission {
  class: Extract<ClearClass, 'policy' | 'off' | 'paused' | 'bypass'>;
  network: string;
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
  network: string;
}

export function permissions(from: PermissionSources): Permission[] {
  const { effective, position, servers, network } = from;
  const granted: Permission[] = effective.settings.bypass.map(({ suffix, to }) => ({
    class: 'bypass',
    network,
    rule: normalSuffix(suffix),
    reason: `bypass rule to ${to.join(', ')}`,
    who: whoSet(effective.sources.bypass),
    until: null,
  }));
  if (position.protection !== 'on') {
    const { protection, who, until } = position;
    const reason = protection === 'off' ? 'Sotto was switched off' : 'Sotto was paused';
    if (servers.length > 0)
      granted.push({ class: protection, network, rule: '', reason, who, until });
    return granted;
  }
  if (hasOnlyClearUpstreams(effective.settings))
    granted.push({
      class: 'policy',
      network,
      rule: '',
      reason: `every upstream is without TLS: ${effective.settings.upstreams.map(({ id }) => id).join(', ')}`,
      who: whoSet(effective.sources.upstreams),
      until: null,
    });
  return granted;
}

function whoSet({ layer, lockedBy, file }: SettingSource): string {
  if (layer === 'policy') return lockedBy ?? file ?? 'a policy';
  return layer === 'user' ? 'your settings' : 'the defaults';
}
