/**
 * What one profile says otherwise than another: what it says of itself, and each setting with all that its entry has. Pure. The
 * fields come from the format's own declarations, so that one that is new there is compared here as well.
 */
import { isDeepStrictEqual } from 'node:util';
import { matchText } from '../../../contract/settings/network-match.ts';
import {
  defaultSettings,
  type SettingKey,
  settingKeys,
} from '../../../contract/settings/settings.ts';
import { loosensProtection } from '../../settings/loosening-change.ts';
import { lockOf, type PolicyEntry } from '../../settings/policy-file.ts';
import type { Profile } from '../profile-file.ts';

export interface ProfileChanges {
  facts: ChangedFact[];
  entries: ChangedEntry[];
}

/** `networks`: which ones there are, in their order, since of two that fit the first counts. */
export interface ChangedFact {
  field: Exclude<keyof Profile, 'entries'>;
  /** null: the profile says nothing of it */
  before: unknown;
  after: unknown;
}

export interface ChangedEntry {
  key: SettingKey;
  /** on which it holds, in words; null: everywhere */
  network: string | null;
  /** null: the profile says nothing of it */
  before: StatedValue | null;
  after: StatedValue | null;
  /** it takes protection away; where a profile says nothing, the default stands for it */
  loosens: boolean;
}

/** All of an entry but its place in the file. */
export type StatedValue = Omit<PolicyEntry, 'key' | 'lock' | 'hidden' | 'held' | 'problem'> & {
  lock: ReturnType<typeof lockOf>;
};

export function diffProfiles(before: Profile, after: Profile): ProfileChanges {
  const networks = [...namesOf(before), ...namesOf(after)];
  return {
    facts: diffFacts(factsOf(before), factsOf(after)),
    entries: [
      ...diffEntries(before, after, null),
      ...[...new Set(networks)].flatMap((network) =>
        diffEntries(onNetwork(before, network), onNetwork(after, network), network),
      ),
    ],
  };
}

function factsOf(profile: Profile): Omit<Profile, 'entries' | 'networks'> & { networks: string[] } {
  const { entries: _, ...facts } = profile;
  return { ...facts, networks: namesOf(profile) };
}

type Facts = ReturnType<typeof factsOf>;

function diffFacts(before: Facts, after: Facts): ChangedFact[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Facts>;
  return [...fields].flatMap((field) => {
    const [was, is] = [before[field] ?? null, after[field] ?? null];
    return isDeepStrictEqual(was, is) ? [] : [{ field, before: was, after: is }];
  });
}

function namesOf({ networks }: Profile): string[] {
  return networks.map(({ match }) => matchText(match));
}

/** `elsewhere`: what holds where the profile says nothing of this network. */
type Stated = Pick<Profile, 'entries'> & { elsewhere?: Pick<Profile, 'entries'> };

function onNetwork(profile: Profile, network: string): Stated {
  const found = profile.networks.find(({ match }) => matchText(match) === network);
  return { entries: found?.entries ?? [], elsewhere: profile };
}

function diffEntries(before: Stated, after: Stated, network: string | null): ChangedEntry[] {
  return settingKeys.flatMap((key) => {
    const [was, is] = [statedBy(before, key), statedBy(after, key)];
    if (isDeepStrictEqual(was, is)) return [];
    const otherwise = [elsewhere(before, key), elsewhere(after, key)] as const;
    return [{ key, network, before: was, after: is, loosens: isLooser(key, [was, is], otherwise) }];
  });
}

type Pair = readonly [was: StatedValue | null, is: StatedValue | null];

/** Now, or once one of the two has ended. */
function isLooser(key: SettingKey, [was, is]: Pair, [wasElse, isElse]: Pair): boolean {
  const isLess = (one: StatedValue | null, other: StatedValue | null) =>
    loosensProtection(key, meantBy(one, key), meantBy(other, key)) || losesLock(one, other);
  if (isLess(was ?? wasElse, is ?? isElse)) return true;
  if (was === null || is === null) return false;
  const [ended, ends] = [was.until ?? Infinity, is.until ?? Infinity];
  return ends < ended ? isLess(was, isElse) : ends > ended && isLess(wasElse, is);
}

function elsewhere(stated: Stated, key: SettingKey): StatedValue | null {
  return stated.elsewhere === undefined ? null : statedBy(stated.elsewhere, key);
}

function statedBy({ entries }: Pick<Profile, 'entries'>, key: SettingKey): StatedValue | null {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return null;
  const {
    key: _key,
    lock: _lock,
    hidden: _hidden,
    held: _held,
    problem: _problem,
    ...rest
  } = entry;
  return { ...rest, lock: lockOf(entry) };
}

function meantBy(stated: StatedValue | null, key: SettingKey): unknown {
  return stated === null ? defaultSettings[key] : stated.value;
}

function losesLock(was: StatedValue | null, is: StatedValue | null): boolean {
  const isLocked = (stated: StatedValue | null) => stated !== null && stated.lock !== 'default';
  return isLocked(was) && !isLocked(is);
}
