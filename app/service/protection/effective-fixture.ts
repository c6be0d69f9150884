/** Settings as the layers produce them, for tests: all of them are the user's own. */
import {
  defaultSettings,
  type FlatSettings,
  settingKeys,
} from '../../contract/settings/settings.ts';
import { nest } from '../../contract/settings/settings-shape.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { SettingSource, SettingSources } from '../settings/settings-layers.ts';

export const fromUser: SettingSource = {
  layer: 'user',
  hidden: false,
  file: 'settings.json',
  locked: false,
  lockedBy: null,
  reason: null,
  entry: null,
};

export function someEffective(
  values: Partial<FlatSettings> = {},
  sources: Partial<SettingSources> = {},
): EffectiveSettings {
  const all = { ...defaultSettings, ...values };
  const users = Object.fromEntries(settingKeys.map((key) => [key, fromUser])) as SettingSources;
  return {
    values: all,
    settings: nest(all),
    sources: { ...users, ...sources },
    certificates: new Map(),
    notInCleartext: new Set(),
  };
}
