/** What each layer says of a setting, the strongest first, and which of them holds. Pure. */
import type { StatedLayer } from '../../contract/settings/profile-methods.ts';
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { PolicyFile } from '../settings/policy-file.ts';
import { lockOf } from './profile-diff.ts';

interface Layers {
  own: Partial<FlatSettings>;
  /** policies, then the profile */
  layers: readonly PolicyFile[];
  effective: EffectiveSettings;
}

export function statedLayers({
  own,
  layers,
  effective,
}: Layers): { key: string; layers: StatedLayer[] }[] {
  return settingKeys.map((key) => ({
    key,
    layers: [...statedOf(key, layers, effective), ...personal(key, own, effective)],
  }));
}

function statedOf(
  key: SettingKey,
  layers: readonly PolicyFile[],
  { sources }: EffectiveSettings,
): StatedLayer[] {
  return layers.flatMap(({ layer, name, file, entries }) =>
    entries
      .filter((entry) => entry.key === key)
      .map((entry) => ({
        layer,
        name,
        file,
        value: entry.value as StatedLayer['value'],
        lock: lockOf(entry),
        reason: entry.reason,
        inForce: sources[key].layer === layer && sources[key].file === file,
      })),
  );
}

function personal(
  key: SettingKey,
  own: Partial<FlatSettings>,
  { sources }: EffectiveSettings,
): StatedLayer[] {
  const say = (layer: 'user' | 'default', value: unknown): StatedLayer => ({
    layer,
    name: null,
    file: null,
    value: value as StatedLayer['value'],
    lock: null,
    reason: null,
    inForce: sources[key].layer === layer,
  });
  return [
    ...(own[key] === undefined ? [] : [say('user', own[key])]),
    say('default', defaultSettings[key]),
  ];
}
