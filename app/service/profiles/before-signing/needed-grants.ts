/** What has to be allowed at an enrolment for all of a version to hold, judged by the code that lets it hold. Pure. */
import { defaultSettings, type FlatSettings } from '../../../contract/settings/settings.ts';
import { decideEntries, strictestValues } from '../decide-entries.ts';
import { type MissingGrant, missingGrants } from '../missing-grants.ts';
import { decideNetworks } from '../networks/decide-networks.ts';
import type { Profile } from '../profile-file.ts';
import { isRouting } from '../routes-first.ts';

export interface NeededGrants {
  /** on machines whose own settings are as delivered */
  usually: MissingGrant[];
  /** beside these, on machines whose own settings are stricter */
  whereStricter: MissingGrant[];
  /** without the usual ones, the system's DNS is not taken, which the version wants */
  takeWaits: boolean;
}

/** `before`: the version that the machines have, all of which holds there; null: none. */
export function neededGrants(profile: Profile, before: Profile | null): NeededGrants {
  const usually = grantsOn([defaultSettings], profile, before);
  const isUsual = (one: MissingGrant, { key, network }: MissingGrant['settings'][number]) =>
    usually.some(
      ({ grant, settings }) =>
        grant === one.grant &&
        settings.some((other) => other.key === key && other.network === network),
    );
  const whereStricter = grantsOn([defaultSettings, strictMachine], profile, before)
    .map((one) => ({ ...one, settings: one.settings.filter((of) => !isUsual(one, of)) }))
    .filter(({ settings }) => settings.length > 0);
  const takes = [profile, ...profile.networks].some(({ entries }) =>
    entries.some(({ key, value }) => key === 'systemDns.take' && value === true),
  );
  const routes = usually.some(({ settings }) => settings.some(({ key }) => isRouting(key)));
  return { usually, whereStricter, takeWaits: takes && routes };
}

function grantsOn(
  without: readonly FlatSettings[],
  profile: Profile,
  before: Profile | null,
): MissingGrant[] {
  const read = { profile, problems: [], unread: [], unreadLocks: [] };
  const held = (before?.networks ?? []).map((network) => ({ ...network, loosening: [] }));
  return missingGrants((allowed) => {
    const terms = { allowed, without };
    const { entries, waiting } = decideEntries(read, { before: before?.entries ?? [], ...terms });
    return [...waiting, ...decideNetworks(read, entries, held, terms).waiting];
  });
}

const strictMachine: FlatSettings = {
  ...defaultSettings,
  ...strictestValues,
  rungs: [],
  'connections.postQuantum': 'require',
  'systemDns.take': true,
  'systemDns.close': 'always',
};
