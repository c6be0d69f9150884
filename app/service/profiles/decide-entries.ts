/**
 * Which entries of a signed profile hold on this machine: those that take no protection away, and those that its administrator
 * allowed the issuer, or approved in this version. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
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
}

export interface DecidedEntries {
  entries: PolicyEntry[];
  waiting: WaitingEntry[];
  /** what the version before says of them holds, because this one can't be read there */
  kept: SettingKey[];
}

interface Situation {
  /** entries of the version before that hold; empty for the first */
  before: readonly PolicyEntry[];
  allowed: readonly Grant[];
  /** what would hold without the profile: on this machine, and with no person's settings */
  without: readonly FlatSettings[];
}

export function decideEntries(read: ProfileRead, situation: Situation): DecidedEntries {
  const decided: DecidedEntries = { entries: [], waiting: [], kept: [] };
  for (const entry of read.profile?.entries ?? []) judge(entry, read, situation, decided);
  for (const key of read.unread) {
    const last = formerOf(key, situation);
    if (last === undefined) continue;
    decided.entries.push(asHeld(last));
    decided.kept.push(last.key);
  }
  const isUnknownLock = read.unreadLocks.some((key) => formerOf(key, situation) === undefined);
  const isLocked = decided.entries.some(({ key, lock }) => key === 'downgrade' && lock);
  if (isUnknownLock && !isLocked) decided.entries.push(strictest(read.profile?.name ?? ''));
  return decided;
}

function judge(
  entry: PolicyEntry,
  { problems }: ProfileRead,
  situation: Situation,
  decided: DecidedEntries,
): void {
  const wanted = loosening(entry, situation.without);
  // A file with an error loosens nothing: what is wrong with it may be what would have made it strict.
  const mayLoosen = problems.length === 0 && isAllowed(wanted, situation.allowed);
  const last = formerOf(entry.key, situation);
  if (wanted === 'nothing' || mayLoosen || saysTheSame(entry, last)) {
    decided.entries.push(entry);
    return;
  }
  decided.waiting.push({ key: entry.key, grant: wanted === 'never' ? null : wanted });
  if (last !== undefined) decided.entries.push(asHeld(last));
}

/** What was approved in an earlier version needs no new approval. */
function saysTheSame(entry: PolicyEntry, last: PolicyEntry | undefined): boolean {
  return last !== undefined && isDeepStrictEqual(entry.value, last.value);
}

function formerOf(key: string, { before }: Situation): PolicyEntry | undefined {
  return before.find((one) => one.key === key);
}

function isAllowed(wanted: Wanted, allowed: readonly Grant[]): boolean {
  return allowed.some((grant) => grant === wanted);
}

type Wanted = Grant | 'never' | 'nothing';

const grantOf: Record<SettingKey, Grant | 'never'> = {
  listen: 'never',
  'systemDns.take': 'never',
  'systemDns.close': 'never',
  'systemDns.mechanism': 'never',
  systemResolvers: 'downgrade',
  upstreams: 'authorities',
  strategy: 'never',
  downgrade: 'downgrade',
  rungs: 'rungs',
  refuseFor: 'downgrade',
  consent: 'consent',
  groups: 'downgrade',
  bypass: 'bypass',
  learnRules: 'bypass',
  allowPrivate: 'bypass',
  forwardSpecial: 'bypass',
  'cache.entries': 'never',
  'cache.serveStale': 'never',
  'cache.staleHours': 'never',
  'connections.keepWarm': 'never',
  'connections.dialsPerHour': 'never',
  'connections.keepWarmOnBattery': 'never',
  'connections.fastOpen': 'never',
  'connections.ticketHours': 'never',
  'portal.detect': 'probes',
  'portal.minutes': 'probes',
  'portal.probes': 'probes',
  'queryLog.mode': 'log',
  'queryLog.programs': 'log',
  'queryLog.keepDays': 'log',
  'queryLog.maxMegabytes': 'log',
  'audit.connections': 'log',
};

/** Probes tell the servers that a profile names where the machine is; what else a profile may do is judged as for people. */
function loosening({ key, value }: PolicyEntry, without: readonly FlatSettings[]): Wanted {
  if (key === 'portal.probes') return 'probes';
  if (key === 'upstreams') return looseningUpstreams(value as readonly UpstreamSetting[]);
  return without.some((settings) => loosensProtection(key, settings[key], value))
    ? grantOf[key]
    : 'nothing';
}

/** To choose upstreams is what a profile is for, as long as public authorities vouch for their names. */
function looseningUpstreams(upstreams: readonly UpstreamSetting[]): Wanted {
  if (upstreams.some(({ transport }) => !isPrivate(transport))) return 'downgrade';
  const isVouchedFor = ({ ca, pins, proxy }: UpstreamSetting) =>
    ca === undefined && pins === undefined && proxy === undefined;
  return upstreams.every(isVouchedFor) ? 'nothing' : 'authorities';
}

/** In place of a lock that could never be read. */
function strictest(name: string): PolicyEntry {
  return {
    key: 'downgrade',
    value: 'refuse',
    lock: true,
    hidden: false,
    reason: 'the profile has an error, and what it locks could never be read',
    held: false,
    problem: (_within, reason) => ({ file: name, path: '', line: null, reason }),
  };
}
