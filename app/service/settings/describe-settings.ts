/** Settings as people are shown them: what is in force and by whose word, and the declarations as data. Pure. */
import { z } from 'zod';
import {
  type SettingKey,
  settingDeclarations,
  settingKeys,
} from '../../contract/settings/settings.ts';
import type {
  DescribedSetting,
  EffectiveSetting,
} from '../../contract/settings/settings-methods.ts';
import type { EffectiveSettings } from './load-settings.ts';

export function describeSetting(
  key: SettingKey,
  { values, sources }: EffectiveSettings,
): EffectiveSetting {
  const { label, help, unit } = settingDeclarations[key];
  const { layer, file, locked, hidden, lockedBy, reason } = sources[key];
  const value = values[key] as EffectiveSetting['value'];
  return {
    key,
    value,
    label,
    help,
    unit,
    source: { layer, file },
    locked,
    hidden,
    lockedBy,
    reason,
  };
}

export function describeSettings(effective: EffectiveSettings): EffectiveSetting[] {
  return settingKeys.map((key) => describeSetting(key, effective));
}

export function declaredSettings(): DescribedSetting[] {
  return settingKeys.map((key) => {
    const { schema, group, label, help, unit, default: value } = settingDeclarations[key];
    const { $schema: _, ...described } = z.toJSONSchema(schema as z.ZodType, { io: 'input' });
    return {
      key,
      group,
      label,
      help,
      unit,
      default: value as DescribedSetting['default'],
      schema: described as DescribedSetting['schema'],
    };
  });
}
