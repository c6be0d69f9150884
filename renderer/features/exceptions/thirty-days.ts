/** How long queries could leave unencrypted on each of the last days. Pure. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';

export interface Day {
  /** unix milliseconds; it begins and ends as the calendar of this computer has it */
  from: number;
  to: number;
  /** nothing is known of it: the ledger began later */
  isUnknown: boolean;
  /** milliseconds in which any permission was in force */
  openMs: number;
  /** permissions that were in force on it */
  permissions: number;
}

const shownDays = 30;

/** The last one is today. Exceptions for single names are left out: they are in force all the time. */
export function lastDays(
  entries: readonly LedgerEntry[],
  completeSince: number,
  now: number,
): Day[] {
  const spans = entries.filter(({ class: kind }) => kind !== 'bypass').map((one) => span(one, now));
  const today = new Date(now);
  return Array.from({ length: shownDays }, (_, place) => {
    const back = shownDays - 1 - place;
    const from = startOfDay(today, -back);
    const to = startOfDay(today, 1 - back);
    const within = spans
      .map((one): Span => [Math.max(from, one[0]), Math.min(to, one[1])])
      .filter(([begin, end]) => begin < end);
    return {
      from,
      to,
      isUnknown: to <= completeSince && within.length === 0,
      openMs: lengthOfUnion(within),
      permissions: within.length,
    };
  });
}

type Span = readonly [from: number, to: number];

/** What a clock that was wrong wrote into the future has not happened yet. */
function span({ since, until, closed }: LedgerEntry, now: number): Span {
  const end = closed === null || until === null ? now : until;
  return [since, Math.min(end, now)];
}

/** A day may have 23 or 25 hours. */
function startOfDay(today: Date, days: number): number {
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + days).getTime();
}

function lengthOfUnion(spans: readonly Span[]): number {
  let length = 0;
  let covered = Number.NEGATIVE_INFINITY;
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    length += Math.max(0, to - Math.max(from, covered));
    covered = Math.max(covered, to);
  }
  return length;
}
