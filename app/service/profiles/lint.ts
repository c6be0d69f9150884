/** All that is wrong with a profile, and what it would loosen on a machine without settings of its own. Pure. */
import { defaultSettings, type SettingKey } from '../../contract/settings/settings.ts';
import { crossFieldProblems } from '../settings/cross-field-checks.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import { layerSettings } from '../settings/settings-layers.ts';
import type { Problem } from '../settings/settings-text.ts';
import { type Profile, readProfile } from './profile-file.ts';

export interface LintedProfile {
  /** null: not even its facts can be read */
  profile: Profile | null;
  problems: Problem[];
  /** settings whose value takes protection away, compared with the defaults */
  loosening: SettingKey[];
}

export function lintProfile(file: string, octets: Buffer): LintedProfile {
  const { profile, problems } = readProfile(file, octets);
  if (profile === null) return { profile, problems, loosening: [] };
  return {
    profile,
    problems: [...problems, ...contradictions(file, profile)],
    loosening: profile.entries
      .filter(({ key, value }) => loosensProtection(key, defaultSettings[key], value))
      .map(({ key }) => key),
  };
}

function contradictions(file: string, { name, entries }: Profile): Problem[] {
  const { values, sources } = layerSettings(null, [{ layer: 'profile', file, name, entries }]);
  return crossFieldProblems(values).flatMap(
    ({ key, within, reason }) => sources[key].entry?.problem(within, reason) ?? [],
  );
}
