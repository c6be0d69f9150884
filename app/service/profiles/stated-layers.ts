/** What each layer says of a setting, the strongest first, and which of them holds. Pure. */
import type { StatedLayer } from '../../contract/settings/profile-methods.ts';
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { lockOf, type PolicyFile } from '../settings/policy-file.ts';
import { layerSettings, type SettingSource } from '../settings/settings-layers.ts';
import type { UserSettings } from '../settings/user-settings.ts';

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
}: Layers): { key: string; layers: StatedLayer[]; without: StatedLayer['value'] }[] {
  const without = remembered((source: SettingSource) => valuesWithout(source, own, layers));
  return settingKeys.map((key) => ({
    key,
    layers: [...statedOf(key, layers, effective), ...personal(key, own, effective)],
    without: without(effective.sources[key])[key] as StatedLayer['value'],
  }));
}

/** What would hold if the layer said nothing at all. */
function valuesWithout(
  { layer, file }: SettingSource,
  own: Partial<FlatSettings>,
  layers: readonly PolicyFile[],
): FlatSettings {
  const user: UserSettings | null =
    layer === 'user' ? null : { file: '', values: own, problem: noProblem };
  const others = layers.filter((one) => one.layer !== layer || one.file !== file);
  return layerSettings(user, others).values;
}

/** Nothing is said of faults here. */
const noProblem: UserSettings['problem'] = (_key, _within, reason) => ({
  file: '',
  path: '',
  line: null,
  reason,
});

function remembered(
  compute: (source: SettingSource) => FlatSettings,
): (source: SettingSource) => FlatSettings {
  const known = new Map<string, FlatSettings>();
  return (source) => {
    const of = JSON.stringify([source.layer, source.file]);
    const values = known.get(of) ?? compute(source);
    known.set(of, values);
    return values;
  };
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
        until: entry.until,
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
    until: null,
    inForce: sources[key].layer === layer,
  });
  return [
    ...(own[key] === undefined ? [] : [say('user', own[key])]),
    say('default', defaultSettings[key]),
  ];
}
