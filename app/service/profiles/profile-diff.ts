/** What one profile says otherwise than another, key by key. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { defaultSettings, type SettingKey, settingKeys } from '../../contract/settings/settings.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import type { PolicyEntry } from '../settings/policy-file.ts';
import type { Profile } from './profile-file.ts';

export interface ChangedEntry {
  key: SettingKey;
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
  return settingKeys.flatMap((key) => {
    const [was, is] = [statedBy(before, key), statedBy(after, key)];
    if (isDeepStrictEqual(was, is)) return [];
    const loosens =
      loosensProtection(key, meantBy(was, key), meantBy(is, key)) || losesLock(was, is);
    return [{ key, before: was, after: is, loosens }];
  });
}

function statedBy({ entries }: Profile, key: SettingKey): StatedValue | null {
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
