/**
 * default < user < profile < policy. A lock beats the user; between locks, and between recommendations, the first file wins, and
 * policies come before the profile. Pure.
 */
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import type { PolicyEntry, PolicyFile } from './policy-file.ts';
import type { Problem } from './settings-text.ts';
import type { UserSettings } from './user-settings.ts';

export interface SettingSource {
  layer: 'default' | 'user' | 'profile' | 'policy';
  file: string | null;
  locked: boolean;
  /** locked, and the window draws no control for it */
  hidden: boolean;
  lockedBy: string | null;
  reason: string | null;
  /** the policy entry that set the value; null for defaults */
  entry: PolicyEntry | null;
}

export type SettingSources = Record<SettingKey, SettingSource>;

export interface LayeredSettings {
  values: FlatSettings;
  sources: SettingSources;
  /** the user's values that a lock keeps out of force, in words */
  overridden: string[];
  /** policy entries that another policy's lock keeps out of force */
  conflicts: Problem[];
}

export function layerSettings(
  user: UserSettings | null,
  policies: readonly PolicyFile[],
  defaults: FlatSettings = defaultSettings,
): LayeredSettings {
  const decided = settingKeys.map((key) =>
    decide(key, {
      user,
      offers: offersFor(key, policies),
      bindsToo: offersFor(bound[key] ?? key, policies),
      usual: defaults[key],
    }),
  );
  return {
    values: Object.fromEntries(decided.map(({ key, value }) => [key, value])) as FlatSettings,
    sources: Object.fromEntries(decided.map(({ key, source }) => [key, source])) as SettingSources,
    overridden: decided.flatMap(({ overridden }) => overridden),
    conflicts: decided.flatMap(({ conflicts }) => conflicts),
  };
}

/** What would undo a locked setting from within: its lock binds it, too. */
const bound: Partial<Record<SettingKey, SettingKey>> = { 'systemDns.mechanism': 'systemDns.take' };

interface Offers {
  user: UserSettings | null;
  offers: Offer[];
  /** of the setting whose lock binds this one */
  bindsToo: Offer[];
  usual: unknown;
}

interface Offer {
  policy: PolicyFile;
  entry: PolicyEntry;
}

interface Decision {
  key: SettingKey;
  value: unknown;
  source: SettingSource;
  overridden: string[];
  conflicts: Problem[];
}

function offersFor(key: SettingKey, policies: readonly PolicyFile[]): Offer[] {
  return policies.flatMap((policy) =>
    policy.entries.filter((entry) => entry.key === key).map((entry) => ({ policy, entry })),
  );
}

function decide(key: SettingKey, { user, offers, bindsToo, usual }: Offers): Decision {
  const lock = offers.find(({ entry }) => entry.lock);
  if (lock !== undefined) return locked(key, user, lock, offers);
  const binding = bindsToo.find(({ entry }) => entry.lock);
  if (binding !== undefined) return boundBy(binding, key, { user, offers, usual });

  const quiet = { key, overridden: [], conflicts: [] };
  const userValue = user?.values[key];
  if (user !== null && userValue !== undefined)
    return { ...quiet, value: userValue, source: { ...unlocked, layer: 'user', file: user.file } };
  const [recommendation] = offers;
  if (recommendation !== undefined)
    return { ...quiet, value: recommendation.entry.value, source: policySource(recommendation) };
  return {
    ...quiet,
    value: usual,
    source: { ...unlocked, layer: 'default', file: null },
  };
}

function locked(
  key: SettingKey,
  user: UserSettings | null,
  lock: Offer,
  offers: readonly Offer[],
): Decision {
  const lockedBy = `"${key}" is locked by ${lock.policy.name} (${lock.policy.file})`;
  const reason = lock.entry.reason === null ? '' : `: ${lock.entry.reason}`;
  return {
    key,
    value: lock.entry.value,
    source: policySource(lock),
    overridden: user?.values[key] === undefined ? [] : [`${lockedBy}${reason}.`],
    conflicts: offers
      .filter(
        ({ entry, policy }) => entry.lock && entry !== lock.entry && policy.layer === 'policy',
      )
      .map(({ policy, entry }) =>
        entry.problem([], `${lockedBy} already; this lock by ${policy.name} is not in force`),
      ),
  };
}

/** As without the user's own value. */
function boundBy(
  { policy, entry }: Offer,
  key: SettingKey,
  { user, offers, usual }: Omit<Offers, 'bindsToo'>,
): Decision {
  const { value, source } = decide(key, { user: null, offers, bindsToo: [], usual });
  const reason = `"${entry.key}" is locked, and this setting with it`;
  const why = `"${key}" is bound by ${policy.name} (${policy.file}): ${reason}.`;
  return {
    key,
    value,
    source: { ...source, file: policy.file, locked: true, lockedBy: policy.name, reason },
    overridden: user?.values[key] === undefined ? [] : [why],
    conflicts: [],
  };
}

const unlocked = { locked: false, hidden: false, lockedBy: null, reason: null, entry: null };

function policySource({
  policy,
  entry,
}: {
  policy: PolicyFile;
  entry: PolicyEntry;
}): SettingSource {
  return {
    layer: policy.layer,
    file: policy.file,
    locked: entry.lock,
    hidden: entry.hidden,
    lockedBy: entry.lock ? policy.name : null,
    reason: entry.reason,
    entry,
  };
}
