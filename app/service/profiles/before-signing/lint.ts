/** All that is wrong with a profile, and what it would loosen on a machine without settings of its own. Pure. */
import { defaultSettings, type SettingKey } from '../../../contract/settings/settings.ts';
import { crossFieldProblems } from '../../settings/cross-field-checks.ts';
import { loosensProtection } from '../../settings/loosening-change.ts';
import { layerSettings } from '../../settings/settings-layers.ts';
import type { Problem } from '../../settings/settings-text.ts';
import { type Profile, readProfile } from '../profile-file.ts';
import { entriesTogether } from './entries-together.ts';

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
    loosening: [profile, ...profile.networks]
      .flatMap(({ entries }) => entries)
      .filter(({ key, value }) => loosensProtection(key, defaultSettings[key], value))
      .map(({ key }) => key)
      .filter((key, position, all) => all.indexOf(key) === position),
  };
}

/** On each network as well, where it says more than elsewhere. */
export function contradictions(file: string, profile: Profile): Problem[] {
  const [elsewhere = [], ...onNetworks] = entriesTogether(profile).map((entries) => {
    const policy = { layer: 'profile' as const, file, name: profile.name, entries };
    const { values, sources } = layerSettings(null, [policy]);
    return crossFieldProblems(values).flatMap(
      ({ key, within, reason }) => sources[key].entry?.problem(within, reason) ?? [],
    );
  });
  const said = new Set(elsewhere.map(({ path, reason }) => `${path} ${reason}`));
  return [
    ...elsewhere,
    ...onNetworks.flat().filter((one) => !said.has(`${one.path} ${one.reason}`)),
  ];
}
