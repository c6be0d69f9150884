/** What one profile says otherwise than another, key by key. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { matchText } from '../../contract/settings/network-match.ts';
import { defaultSettings, type SettingKey, settingKeys } from '../../contract/settings/settings.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import type { PolicyEntry } from '../settings/policy-file.ts';
import type { Profile } from './profile-file.ts';

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

export interface StatedValue {
  value: unknown;
  lock: 'locked' | 'hidden' | 'default';
}

export function diffProfiles(before: Profile, after: Profile): ChangedEntry[] {
  const networks = [before, after].flatMap((one) =>
    one.networks.map(({ match }) => matchText(match)),
  );
  return [
    ...diffEntries(before, after, null),
    ...[...new Set(networks)].flatMap((network) =>
      diffEntries(onNetwork(before, network), onNetwork(after, network), network),
    ),
  ];
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
    const [wasMeant, isMeant] = [was ?? elsewhere(before, key), is ?? elsewhere(after, key)];
    const loosens =
      loosensProtection(key, meantBy(wasMeant, key), meantBy(isMeant, key)) ||
      losesLock(wasMeant, isMeant);
    return [{ key, network, before: was, after: is, loosens }];
  });
}

function elsewhere(stated: Stated, key: SettingKey): StatedValue | null {
  return stated.elsewhere === undefined ? null : statedBy(stated.elsewhere, key);
}

function statedBy({ entries }: Pick<Profile, 'entries'>, key: SettingKey): StatedValue | null {
  const entry = entries.find((one) => one.key === key);
  return entry === undefined ? null : { value: entry.value, lock: lockOf(entry) };
}

export function lockOf({ lock, hidden }: PolicyEntry): StatedValue['lock'] {
  if (hidden) return 'hidden';
  return lock ? 'locked' : 'default';
}

function meantBy(stated: StatedValue | null, key: SettingKey): unknown {
  return stated === null ? defaultSettings[key] : stated.value;
}

function losesLock(was: StatedValue | null, is: StatedValue | null): boolean {
  const isLocked = (stated: StatedValue | null) => stated !== null && stated.lock !== 'default';
  return isLocked(was) && !isLocked(is);
}
