/**
 * What a role is told of what the service knows. Who may only observe learns how private the machine's names are, and by whom
 * they are answered; not where its people are, nor which names are their own: docs/design/control-socket.md has the table.
 */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { Role } from '../../contract/service-api.ts';
import { describeHealthIssue, type HealthIssue } from '../../contract/status/health-issue.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { noNetwork } from '../../contract/system/network.ts';
import type { LedgerFilter } from '../protection/ledger.ts';

/** Of the ledger, for who may only observe. */
const mostEntriesObserved = 200;

/** The same object for all who observe, so that what many are told is made and written once. */
const statuses = new WeakMap<ServiceStatus, ServiceStatus>();
const entries = new WeakMap<LedgerEntry, LedgerEntry>();

export function statusSeenBy(role: Role, status: ServiceStatus): ServiceStatus {
  return role === 'observe' ? once(statuses, status, observedStatus) : status;
}

export function entrySeenBy(role: Role, entry: LedgerEntry): LedgerEntry {
  return role === 'observe' ? once(entries, entry, observedEntry) : entry;
}

/** Of those that were asked for, the newest first: as many as the role may have, and as it may see them. */
export function entriesSeenBy(
  role: Role,
  wanted: LedgerFilter,
  list: (filter: LedgerFilter) => LedgerEntry[],
): LedgerEntry[] {
  if (role !== 'observe') return list(wanted);
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
    asks: [],
    network: network.id === noNetwork ? network : { ...network, ...somewhere },
    portal: portal && {
      ...portal,
      ...{ site: null, url: '' },
      login: portal.login && { ...portal.login, who: '' },
    },
    health: status.health.map(observedIssue),
  };
}

function observedEntry(entry: LedgerEntry): LedgerEntry {
  const who = placeless(entry.who);
  return { ...entry, who, network: '', networkLabel: '', rule: '', reason: '' };
}

/** What it means and what to do, without what it is about: that may be a name, a network or a file. */
function observedIssue({ code, since }: HealthIssue): HealthIssue {
  return describeHealthIssue(code, '', '', since);
}

/** Whose word a policy is may be a network's, by its name (policy-in-force.ts). */
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
