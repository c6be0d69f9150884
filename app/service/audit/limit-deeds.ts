/**
 * How many records an account's deeds may bring about: a few of each kind in an hour, so that no kind hides another, nor one
 * account what others do. Those beyond are counted, and the last of them is told. Pure.
 */
import type { AuditEvent, AuditNote } from '../../contract/protection/audit-record.ts';
import { hourMs } from './limit-refusals.ts';

export interface Deed {
  account: number | null;
  note: AuditNote;
}

export interface LeftOutDeeds {
  account: number | null;
  event: AuditEvent;
  count: number;
  last: AuditNote;
}

export interface DeedLimits {
  /** Whether this one is recorded; otherwise it is counted. */
  allows(deed: Deed, now: number): boolean;
  /** What was left out of hours that have ended, once. */
  ended(now: number): LeftOutDeeds[];
}

/** Of one account, in an hour. */
export const mostOfAKind = 5;

interface Hour extends LeftOutDeeds {
  since: number;
  records: number;
}

/** `now`: milliseconds of a clock that is never set. */
export function limitDeeds(): DeedLimits {
  const hours = new Map<string, Hour>();
  return {
    allows({ account, note }, now) {
      const kind = kindOf(account, note);
      const hour = hours.get(kind) ?? newHour(account, note, now);
      hours.set(kind, hour);
      if (hour.records < mostOfAKind) {
        hour.records += 1;
        return true;
      }
      hour.count += 1;
      hour.last = note;
      return false;
    },
    ended(now) {
      const over = [...hours].filter(([, { since }]) => now - since >= hourMs);
      for (const [kind] of over) hours.delete(kind);
      return over.map(([, hour]) => hour).filter(({ count }) => count > 0);
    },
  };
}

/** Each setting is a kind of its own, and so are off, paused and on. There are no more kinds than settings and methods. */
function kindOf(account: number | null, [event, fields]: AuditNote): string {
  const { setting, to } = fields as { setting?: unknown; to?: unknown };
  return JSON.stringify([account, event, setting, to]);
}

function newHour(account: number | null, last: AuditNote, since: number): Hour {
  return { account, event: last[0], last, since, records: 0, count: 0 };
}
