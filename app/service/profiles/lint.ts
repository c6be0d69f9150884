/** All that is wrong with a profile, and what it would loosen on a machine without settings of its own. Pure. */
import { defaultSettings, type SettingKey } from '../../contract/settings/settings.ts';
import { crossFieldProblems } from '../settings/cross-field-checks.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import type { PolicyEntry } from '../settings/policy-file.ts';
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
    loosening: [profile, ...profile.networks]
      .flatMap(({ entries }) => entries)
      .filter(({ key, value }) => loosensProtection(key, defaultSettings[key], value))
      .map(({ key }) => key)
      .filter((key, position, all) => all.indexOf(key) === position),
  };
}

/** On each network as well, where it says more than elsewhere. */
function contradictions(file: string, { name, entries, networks }: Profile): Problem[] {
  const find = (all: readonly PolicyEntry[]) => {
    const policy = { layer: 'profile' as const, file, name, entries: [...all] };
    const { values, sources } = layerSettings(null, [policy]);
    return crossFieldProblems(values).flatMap(
      ({ key, within, reason }) => sources[key].entry?.problem(within, reason) ?? [],
    );
  };
  const elsewhere = find(entries);
  const onNetworks = networks.flatMap((network) => {
    const isSaid = (key: string) => network.entries.some((one) => one.key === key);
    return find([...network.entries, ...entries.filter(({ key }) => !isSaid(key))]);
  });
  const said = new Set(elsewhere.map(({ path, reason }) => `${path} ${reason}`));
  return [...elsewhere, ...onNetworks.filter((one) => !said.has(`${one.path} ${one.reason}`))];
}
