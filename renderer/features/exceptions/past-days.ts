/** What left unencrypted on each of the last days, by the entries of the ledger. Pure, but for the time zone of `midnightsUntil`. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import type { KnownEntries } from '../../state/service.ts';

export interface PastDay {
  from: number;
  /** the next midnight */
  to: number;
  /** milliseconds of this day in which queries of any name could leave unencrypted */
  duration: number;
  /** how many permissions for any name were in force */
  times: number;
  /** how many permissions for names of a rule were in force */
  named: number;
  /** whether entries of the whole day are known, of a part of it, or of nothing */
  known: 'whole' | 'part' | 'nothing';
}

type Interval = [from: number, to: number];

/** One for each two midnights that follow each other. */
export function pastDays(
  { entries, completeSince }: KnownEntries,
  midnights: readonly number[],
  now: number,
): PastDay[] {
  return midnights.slice(0, -1).map((from, place) => {
    const to = midnights[place + 1] ?? from;
    const during = entries.filter((entry) => isInForce(entry, from, to, now));
    const wide = during.filter(({ class: kind }) => kind !== 'bypass');
    const [times, named] = [wide.length, during.length - wide.length];
    const duration = lengthOf(wide.map((entry) => within(timeOfEntry(entry, now), from, to)));
    return { from, to, duration, times, named, known: knownOf(during, completeSince, from, to) };
  });
}

/** Whether a permission was in force at any time between the two. */
export function isInForce(entry: LedgerEntry, from: number, to: number, now: number): boolean {
  const [begin, end] = timeOfEntry(entry, now);
  return begin < to && (end > from || begin >= from);
}

/** Midnight after midnight in the reader's time zone, the last one after `now`: a day may have 23 or 25 hours. */
export function midnightsUntil(now: number, days: number): number[] {
  const today = new Date(now);
  return Array.from({ length: days + 1 }, (_, place) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1 - days + place).getTime(),
  );
}

/** "2026-11-26" in the reader's time zone. */
export function nameOfDay(at: number): string {
  const day = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The day of that name from midnight to midnight; null: there is no such day. */
export function dayNamed(name: string): Interval | null {
  const [year = 0, month = 0, day = 0] = name.split('-').map(Number);
  const from = new Date(year, month - 1, day).getTime();
  if (Number.isNaN(from) || nameOfDay(from) !== name) return null;
  return [from, new Date(year, month - 1, day + 1).getTime()];
}

/** A clock that was set back makes ends before beginnings, and beginnings in the future. */
function timeOfEntry({ since, until, closed }: LedgerEntry, now: number): Interval {
  if (closed === null) return [Math.min(since, now), now];
  return [since, Math.max(since, until ?? since)];
}

function within([from, to]: Interval, first: number, last: number): Interval {
  return [Math.max(from, first), Math.min(to, last)];
}

/** Times that overlap count once. */
function lengthOf(intervals: readonly Interval[]): number {
  let [length, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of [...intervals].sort((one, other) => one[0] - other[0])) {
    length += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return length;
}

function knownOf(
  during: readonly LedgerEntry[],
  completeSince: number,
  from: number,
  to: number,
): PastDay['known'] {
  if (completeSince <= from) return 'whole';
  return completeSince >= to && during.length === 0 ? 'nothing' : 'part';
}
