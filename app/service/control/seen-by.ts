/**
 * What a role sees of what the service knows. An observer learns how private the machine's names are, and which upstreams
 * answer them; not on which networks its people are, nor which names belong to them. docs/design/control-socket.md has the
 * table.
 */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { GoesAround } from '../../contract/protection/verdict.ts';
import { verdictInEnglish } from '../../contract/protection/verdict-words.ts';
import type { Role } from '../../contract/service-api.ts';
import { describeHealthIssue, type HealthIssue } from '../../contract/status/health-issue.ts';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { noNetwork } from '../../contract/system/no-network.ts';
import type { LedgerFilter } from '../protection/ledger.ts';
import { writeTime } from '../status/compose-status.ts';

/** Entries of the ledger for an observer. */
const mostEntriesObserved = 200;

/** All of one role share one object, so that a status is made and written once. */
const controlled = new WeakMap<ServiceStatus, ServiceStatus>();
const statuses = new WeakMap<ServiceStatus, ServiceStatus>();
const entries = new WeakMap<LedgerEntry, LedgerEntry>();

export function statusSeenBy(role: Role, status: ServiceStatus): ServiceStatus {
  if (role === 'administer') return status;
  const nameless = once(controlled, status, withoutPrograms);
  return role === 'observe' ? once(statuses, nameless, observedStatus) : nameless;
}

/** Which programs go around us is for administrators: they may be another user's. */
function withoutPrograms(status: ServiceStatus): ServiceStatus {
  const { verdict } = status;
  if (!('around' in verdict) || verdict.around.every(({ kind }) => !isProgram(kind))) return status;
  const around = verdict.around.map((one) =>
    isProgram(one.kind)
      ? { ...one, kind: one.kind === 'program' ? ('other' as const) : one.kind, name: '' }
      : one,
  );
  const seen = { ...verdict, around };
  return { ...status, verdict: seen, sentence: verdictInEnglish(seen, writeTime) };
}

/** A container is named by whoever starts it. */
function isProgram(kind: GoesAround['kind']): boolean {
  return kind === 'program' || kind === 'container';
}

/** Which programs run is nothing for an observer, nor for a report. */
export function statsSeenBy(role: Role, stats: ServiceStats): ServiceStats {
  if (role === 'administer' || stats.tally === null) return stats;
  return { ...stats, tally: { ...stats.tally, programs: [] } };
}

export function entrySeenBy(role: Role, entry: LedgerEntry): LedgerEntry {
  if (role === 'administer') return entry;
  return role === 'observe' ? once(entries, entry, observedEntry) : placelessAfterwards(entry);
}

/** The wanted entries, newest first: as many as the role may have, in the form that it may see. */
export function entriesSeenBy(
  role: Role,
  wanted: LedgerFilter,
  list: (filter: LedgerFilter) => LedgerEntry[],
): LedgerEntry[] {
  if (role !== 'observe') return list(wanted).map((entry) => entrySeenBy(role, entry));
  const { beforeId = Number.POSITIVE_INFINITY, ...newest } = wanted;
  return list({ ...newest, limit: mostEntriesObserved })
    .filter(({ id }) => id < beforeId)
    .slice(0, wanted.limit)
    .map(observedEntry);
}

function observedStatus(status: ServiceStatus): ServiceStatus {
  const { network, portal, protection, verdict } = status;
  const consent = 'consent' in protection ? protection.consent : '';
  return {
    ...status,
    protection:
      'consent' in protection ? { ...protection, consent: placeless(consent) } : protection,
    verdict: 'consent' in verdict ? { ...verdict, consent: placeless(verdict.consent) } : verdict,
    sentence:
      consent === '' ? status.sentence : status.sentence.replaceAll(consent, placeless(consent)),
    clear: status.clear.map(observedEntry),
    groups: status.groups.map((group) => ({ ...group, names: [], why: '' })),
    consentRequests: [],
    network: network.id === noNetwork ? network : { ...network, ...somewhere },
    portal: portal && {
      ...portal,
      ...{ site: null, url: '' },
      login: portal.login && { ...portal.login, who: '' },
    },
    health: status.health.map(observedIssue),
  };
}

/** An entry that has ended may be of a place where somebody was: which places those are is for administrators. */
function placelessAfterwards(entry: LedgerEntry): LedgerEntry {
  if (entry.closed === null) return entry;
  const [who, reason] = [placeless(entry.who), placeless(entry.reason)];
  return { ...entry, who, reason, network: '', networkLabel: '' };
}

function observedEntry(entry: LedgerEntry): LedgerEntry {
  const who = placeless(entry.who);
  return { ...entry, who, network: '', networkLabel: '', rule: '', reason: '' };
}

/** Keeps the meaning and the remedy, and drops the subject, which may be a name, a network or a file. */
function observedIssue({ code, since }: HealthIssue): HealthIssue {
  return describeHealthIssue(code, '', '', since);
}

/** The origin of a policy may be a network, by its name (policy-in-force.ts). */
const placeless = (words: string) =>
  words.replace(/what was set for the network .*/s, 'what was set for this network');

const somewhere = { id: 'somewhere', label: 'this network' };

function once<Value extends object>(
  known: WeakMap<Value, Value>,
  value: Value,
  make: (value: Value) => Value,
): Value {
  const before = known.get(value);
  if (before !== undefined) return before;
  const made = make(value);
  known.set(value, made);
  return made;
}
