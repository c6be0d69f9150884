/**
 * Which entries of a signed profile hold on this machine: those that take no protection away, and those that its administrator
 * allowed the issuer, or approved in this version. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { nowhere } from '../../contract/settings/fleet-settings.ts';
import type { Grant } from '../../contract/settings/profile-methods.ts';
import type { FlatSettings, SettingKey } from '../../contract/settings/settings.ts';
import { isPrivate, type UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import { asHeld, type PolicyEntry } from '../settings/policy-file.ts';
import type { ProfileRead } from './profile-file.ts';

export interface WaitingEntry {
  key: SettingKey;
  /** null: no profile may do this */
  grant: Grant | null;
  /** the one on which it would hold, in words; absent: all */
  network?: string | undefined;
  /** what has to hold first: it takes no protection away by itself, but would without that (routes-first.ts) */
  behind?: string | undefined;
}

export interface DecidedEntries {
  entries: PolicyEntry[];
  waiting: WaitingEntry[];
  /** what the version before says of them holds, because this one can't be read there */
  kept: SettingKey[];
}

export interface Situation {
  /** entries of the version before that hold; empty for the first */
  before: readonly PolicyEntry[];
  allowed: readonly Grant[];
  /** what would hold without the profile: on this machine, and with no person's settings */
  without: readonly FlatSettings[];
}

/** Judged twice: against what would hold without the profile, and against what the version before made strict. */
export function decideEntries(read: ProfileRead, situation: Situation): DecidedEntries {
  const decided: DecidedEntries = { entries: [], waiting: [], kept: [] };
  for (const entry of read.profile?.entries ?? []) judge(entry, read, situation, decided);
  const said = new Set([...decided.entries.map(({ key }) => key), ...read.unread]);
  for (const last of situation.before)
    if (!said.has(last.key)) judgeDropped(last, read, situation, decided);
  for (const key of read.unread) {
    const last = formerOf(key, situation);
    if (last === undefined) continue;
    decided.entries.push(asHeld(last));
    decided.kept.push(last.key);
  }
  const isNew = (key: string) => formerOf(key, situation) === undefined;
  return {
    ...decided,
    entries: withStrictest(decided.entries, {
      unread: read.unread.filter(isNew),
      unreadLocks: read.unreadLocks.filter(isNew),
    }),
  };
}

function judge(
  entry: PolicyEntry,
  read: ProfileRead,
  situation: Situation,
  decided: DecidedEntries,
): void {
  const last = formerOf(entry.key, situation);
  const missing = firstMissing(
    [
      ...(last !== undefined && isNoMoreThan(last, entry)
        ? []
        : looseningValue(entry, situation.without)),
      ...(last === undefined ? [] : looseningAfter(last, entry)),
      ...(last !== undefined && endOf(entry) < endOf(last)
        ? looseningWithout(last, situation)
        : []),
    ],
    read,
    situation,
  );
  if (missing === null) {
    decided.entries.push(entry);
    return;
  }
  decided.waiting.push({ key: entry.key, grant: missing === 'never' ? null : missing });
  if (last !== undefined) decided.entries.push(asHeld(last));
}

/** The version says nothing any more of a setting: then what would hold without the profile holds. */
function judgeDropped(
  last: PolicyEntry,
  read: ProfileRead,
  situation: Situation,
  decided: DecidedEntries,
): void {
  const missing = firstMissing(looseningWithout(last, situation), read, situation);
  if (missing === null) return;
  decided.waiting.push({ key: last.key, grant: missing === 'never' ? null : missing });
  decided.entries.push(asHeld(last));
}

/** A file with an error loosens nothing: what is wrong with it may be what would have made it strict. */
function firstMissing(
  wanted: readonly Wanted[],
  { problems }: ProfileRead,
  { allowed }: Situation,
): Wanted | null {
  return wanted.find((one) => problems.length > 0 || !isAllowed(one, allowed)) ?? null;
}

function formerOf(key: string, { before }: Situation): PolicyEntry | undefined {
  return before.find((one) => one.key === key);
}

function isAllowed(wanted: Wanted, allowed: readonly Grant[]): boolean {
  return allowed.some((grant) => grant === wanted);
}

type Wanted = Grant | 'never';

/** nothing: no value of it takes protection away. */
const grantOf: Record<SettingKey, Wanted | 'nothing'> = {
  listen: 'never',
  'systemDns.take': 'never',
  'systemDns.close': 'never',
  'systemDns.mechanism': 'never',
  systemResolvers: 'downgrade',
  upstreams: 'authorities',
  'crossCheck.names': 'probes',
  strategy: 'nothing',
  downgrade: 'downgrade',
  rungs: 'rungs',
  refuseFor: 'downgrade',
  consent: 'consent',
  pause: 'consent',
  groups: 'downgrade',
  bypass: 'bypass',
  learnRules: 'bypass',
  allowPrivate: 'bypass',
  forwardSpecial: 'bypass',
  'cache.entries': 'nothing',
  'cache.serveStale': 'nothing',
  'cache.staleHours': 'nothing',
  'cache.hotSet': 'nothing',
  'connections.keepWarm': 'nothing',
  'connections.dialsPerHour': 'nothing',
  'connections.keepWarmOnBattery': 'nothing',
  'connections.fastOpen': 'nothing',
  /** a ticket tells the upstream who asks again */
  'connections.ticketHours': 'identities',
  'connections.postQuantum': 'downgrade',
  'portal.detect': 'probes',
  'portal.minutes': 'probes',
  'portal.probes': 'probes',
  'queryLog.mode': 'log',
  'queryLog.programs': 'log',
  'queryLog.keepDays': 'log',
  'queryLog.maxMegabytes': 'log',
  'audit.connections': 'log',
  'metrics.listen': 'metrics',
  'metrics.collector': 'metrics',
  'dnstap.socket': 'dnstap',
};

/** Probes tell the servers that a profile names where the machine is; what else a profile may do is judged as for people. */
function looseningValue({ key, value }: PolicyEntry, without: readonly FlatSettings[]): Wanted[] {
  if (key === 'portal.probes') return ['probes'];
  if (key === 'upstreams') return looseningUpstreams(value as readonly UpstreamSetting[]);
  const grant = grantOf[key];
  return grant !== 'nothing' &&
    without.some((settings) => loosensProtection(key, settings[key], value))
    ? [grant]
    : [];
}

/** Whoever has the key may not take back what it made strict: a lock that goes lets a person loosen. */
function looseningAfter(
  last: PolicyEntry,
  { value, lock }: Pick<PolicyEntry, 'value' | 'lock'>,
): Wanted[] {
  const { key } = last;
  const isLooser =
    key === 'upstreams'
      ? looseningUpstreams(value as readonly UpstreamSetting[]).includes('downgrade')
      : loosensProtection(key, last.value, value);
  const grant = grantOf[key];
  if (grant === 'nothing' || (!isLooser && (lock || !last.lock))) return [];
  // What a profile may never do of its own, it may still stop to forbid where that was allowed.
  return [grant === 'never' ? 'downgrade' : grant];
}

/** What would hold without the profile, once `last` says nothing any more. */
function looseningWithout(last: PolicyEntry, { without }: Situation): Wanted[] {
  return without.flatMap((settings) =>
    looseningAfter(last, { value: settings[last.key], lock: false }),
  );
}

/** Whether the entry, on some network, takes away what holds elsewhere. */
export function takesAway(
  entry: PolicyEntry,
  elsewhere: readonly PolicyEntry[],
  settings: readonly FlatSettings[],
): boolean {
  const other = elsewhere.find(({ key }) => key === entry.key);
  const after = other === undefined ? [] : looseningAfter(other, entry);
  return looseningValue(entry, settings).length > 0 || after.length > 0;
}

/** What held, or was approved, and for no longer than that. */
function isNoMoreThan(last: PolicyEntry, entry: PolicyEntry): boolean {
  return isDeepStrictEqual(entry.value, last.value) && endOf(entry) <= endOf(last);
}

function endOf({ until }: PolicyEntry): number {
  return until ?? Infinity;
}

/**
 * To choose upstreams is what a profile is for, as long as public authorities vouch for their names, and none of them is told
 * which machine asks.
 */
function looseningUpstreams(upstreams: readonly UpstreamSetting[]): Wanted[] {
  // Nobody but the issuer vouches for the raw key of an EncDNS server.
  const isVouchedFor = ({ ca, pins, proxy, key }: UpstreamSetting) =>
    [ca, pins, proxy, key].every((word) => word === undefined);
  const protectsLess = ({ transport, earlyData }: UpstreamSetting) =>
    !isPrivate(transport) || earlyData === true;
  const wanted: [Wanted, boolean][] = [
    ['downgrade', upstreams.some(protectsLess)],
    ['authorities', !upstreams.every(isVouchedFor)],
    ['identities', upstreams.some(({ identity }) => identity !== undefined)],
  ];
  return wanted.flatMap(([grant, isWanted]) => (isWanted ? [grant] : []));
}

/**
 * With the strictest value for each entry that could never be read. One that may be a lock also locks `downgrade` at `refuse`,
 * because a misspelt key may have been any.
 */
export function withStrictest(
  entries: readonly PolicyEntry[],
  { unread, unreadLocks }: Pick<ProfileRead, 'unread' | 'unreadLocks'>,
): PolicyEntry[] {
  const isMeant = (key: string, lock: boolean) =>
    (lock ? unreadLocks : unread).includes(key) ||
    (lock && key === 'downgrade' && unreadLocks.length > 0);
  const isTold = (key: string, lock: boolean) =>
    entries.some((one) => one.key === key && (one.lock || !lock));
  const added = strictest.flatMap(([key, value]) => {
    const lock = isMeant(key, true);
    const isMissing = (lock || isMeant(key, false)) && !isTold(key, lock);
    return isMissing ? [{ ...standIn, key, value, lock }] : [];
  });
  return [...entries.filter(({ key }) => !added.some((one) => one.key === key)), ...added];
}

/**
 * Of settings that have one. Where a setting chooses between servers, none is stricter than another; and with "require" for the key
 * exchange, connections fail.
 */
export const strictestValues = {
  downgrade: 'refuse',
  consent: 'administrator',
  pause: 'code',
  groups: {},
  bypass: [],
  learnRules: 'off',
  allowPrivate: [],
  forwardSpecial: [],
  'crossCheck.names': [],
  'queryLog.mode': 'off',
  'queryLog.programs': false,
  'audit.connections': false,
  'metrics.listen': nowhere,
  'metrics.collector': nowhere,
  'dnstap.socket': nowhere,
} satisfies Partial<FlatSettings>;

const strictest = Object.entries(strictestValues) as [SettingKey, unknown][];

const standIn: Omit<PolicyEntry, 'key' | 'value' | 'lock'> = {
  hidden: false,
  reason: 'the profile has an error, and what it says here could never be read',
  until: null,
  held: false,
  problem: (_within, reason) => ({ file: '', path: '', line: null, reason }),
};
