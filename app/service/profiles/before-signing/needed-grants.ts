/** What has to be allowed at an enrolment for all of a version to hold, judged by the code that lets it hold. Pure. */
import type { Grant } from '../../../contract/settings/profile-methods.ts';
import { defaultSettings, type FlatSettings } from '../../../contract/settings/settings.ts';
import { decideEntries, strictestValues, type WaitingEntry } from '../decide-entries.ts';
import { decideNetworks } from '../networks/decide-networks.ts';
import type { Profile } from '../profile-file.ts';

export interface NeededGrant {
  /** null: no profile may do this */
  grant: Grant | null;
  /** settings, each with the network on which it would hold */
  settings: Pick<WaitingEntry, 'key' | 'network'>[];
}

export interface NeededGrants {
  /** on machines whose own settings are as delivered */
  usually: NeededGrant[];
  /** beside these, on machines whose own settings are stricter */
  whereStricter: NeededGrant[];
}

/** `before`: the version that the machines have, all of which holds there; null: none. */
export function neededGrants(profile: Profile, before: Profile | null): NeededGrants {
  const usually = grantsOn([defaultSettings], profile, before);
  const isUsual = (one: NeededGrant, { key, network }: NeededGrant['settings'][number]) =>
    usually.some(
      ({ grant, settings }) =>
        grant === one.grant &&
        settings.some((other) => other.key === key && other.network === network),
    );
  const whereStricter = grantsOn([defaultSettings, strictMachine], profile, before)
    .map((one) => ({ ...one, settings: one.settings.filter((of) => !isUsual(one, of)) }))
    .filter(({ settings }) => settings.length > 0);
  return { usually, whereStricter };
}

/** A setting waits for one grant after the other, so what was missing is allowed until nothing more is. */
function grantsOn(
  without: readonly FlatSettings[],
  profile: Profile,
  before: Profile | null,
): NeededGrant[] {
  const needed = new Map<Grant, NeededGrant['settings']>();
  for (;;) {
    const waiting = waitingWith([...needed.keys()], without, profile, before);
    const missing = Map.groupBy(waiting, ({ grant }) => grant);
    const never = missing.get(null) ?? [];
    missing.delete(null);
    if (missing.size === 0)
      return [
        ...[...needed].map(([grant, settings]) => ({ grant, settings })),
        ...(never.length === 0 ? [] : [{ grant: null, settings: never.map(named) }]),
      ];
    for (const [grant, of] of missing) needed.set(grant as Grant, of.map(named));
  }
}

function named({ key, network }: WaitingEntry): NeededGrant['settings'][number] {
  return network === undefined ? { key } : { key, network };
}

function waitingWith(
  allowed: readonly Grant[],
  without: readonly FlatSettings[],
  profile: Profile,
  before: Profile | null,
): WaitingEntry[] {
  const read = { profile, problems: [], unread: [], unreadLocks: [] };
  const terms = { allowed, without };
  const { entries, waiting } = decideEntries(read, { before: before?.entries ?? [], ...terms });
  const held = (before?.networks ?? []).map((network) => ({ ...network, loosening: [] }));
  return [...waiting, ...decideNetworks(read, entries, held, terms).waiting];
}

const strictMachine: FlatSettings = {
  ...defaultSettings,
  ...strictestValues,
  rungs: [],
  'systemDns.take': true,
  'systemDns.close': 'always',
};
