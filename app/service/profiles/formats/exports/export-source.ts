/** What is exported: the values of a profile, or of this machine, and what is said about each. Pure. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { matchText } from '../../../../contract/settings/network-match.ts';
import type { ProfileFacts } from '../../../../contract/settings/profile.ts';
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
} from '../../../../contract/settings/settings.ts';
import { holdingAt, lockOf } from '../../../settings/policy-file.ts';
import type { Profile } from '../../profile-file.ts';

export interface Stated {
  key: SettingKey;
  locked: boolean;
  /** unix milliseconds; null: it holds on */
  until: number | null;
}

export interface ExportSource {
  /** of the profile; letters, digits, dots and hyphens */
  id: string;
  /** what people call it, one visible line */
  name: string;
  issuer: string;
  /** all settings, the default where nothing else is said */
  values: FlatSettings;
  /** what somebody said, so that it may not be dropped in silence */
  stated: readonly Stated[];
  /** what a profile says of itself beyond its name */
  limits: readonly { field: string; value: string }[];
  /** where something else holds, and which settings */
  networks: readonly { match: string; keys: readonly string[] }[];
}

export function sourceOfProfile(profile: Profile, now: number): ExportSource {
  const entries = profile.entries.filter(holdingAt(now));
  const { id, name, issuer } = profile;
  return {
    id,
    name,
    issuer,
    values: {
      ...defaultSettings,
      ...Object.fromEntries(entries.map(({ key, value }) => [key, value])),
    },
    stated: entries.map((entry) => ({
      key: entry.key,
      locked: lockOf(entry) !== 'default',
      until: entry.until,
    })),
    limits: limitsOf(profile),
    networks: profile.networks.map(({ match, entries: said }) => ({
      match: matchText(match),
      keys: said.map(({ key }) => key),
    })),
  };
}

type Facts = Omit<ProfileFacts, 'settings' | 'networks'>;

/** Whether the field says for whom, from when or until when the version is, or who may change it; a new one has to say so here. */
const isLimit: Record<keyof Facts, boolean> = {
  $schema: false,
  id: false,
  serial: false,
  issuer: false,
  name: false,
  notBefore: true,
  notAfter: true,
  strict: false,
  rollout: true,
  nextKey: true,
};

function limitsOf(profile: Facts) {
  const fields = (Object.keys(isLimit) as (keyof Facts)[]).filter((field) => isLimit[field]);
  return fields.flatMap((field) => {
    const value = profile[field];
    return value === undefined ? [] : [{ field, value: JSON.stringify(value) }];
  });
}

export interface EffectiveSetting {
  key: string;
  layers: readonly {
    layer: string;
    value: unknown;
    lock: string | null;
    until?: number | null;
    inForce: boolean;
  }[];
}

/** `settings`: the reply of profile.effective, which the contract validated. */
export function sourceOfMachine(settings: readonly EffectiveSetting[]): ExportSource {
  const inForce = settings.flatMap(({ key, layers }) => {
    const layer = layers.find((one) => one.inForce);
    return layer === undefined ? [] : [{ key: key as SettingKey, ...layer }];
  });
  return {
    id: 'this-machine',
    name: 'Settings of this machine',
    issuer: 'this machine',
    values: {
      ...defaultSettings,
      ...Object.fromEntries(inForce.map(({ key, value }) => [key, value])),
    },
    stated: inForce
      .filter(({ layer }) => layer !== 'default')
      .map(({ key, lock, until = null }) => ({
        key,
        locked: lock === 'locked' || lock === 'hidden',
        until,
      })),
    limits: [],
    networks: [],
  };
}

/** The same for each version of a profile, so that a new file takes the place of the old one. */
export function stableUuid(...parts: string[]): string {
  const octets = Buffer.from(
    createHash('sha256').update(parts.join('\0')).digest().subarray(0, 16),
  );
  octets[6] = ((octets[6] ?? 0) & 0x0f) | 0x80; // version 8 of RFC 9562: made in a way of our own
  octets[8] = ((octets[8] ?? 0) & 0x3f) | 0x80;
  const hex = octets.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
