/** Permissions of one day of this computer's calendar. Pure. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';

export interface LedgerDay {
  /** unix milliseconds */
  from: number;
  to: number;
}

/** "2026-01-31"; null: it is none. */
export function readDay(text: string | null): LedgerDay | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '') ?? [];
  const at = (days: number) =>
    new Date(Number(year), Number(month) - 1, Number(day) + days).getTime();
  return year === undefined ? null : { from: at(0), to: at(1) };
}

/** It was in force on that day; null: any day. */
export function isOfDay({ since, until, closed }: LedgerEntry, day: LedgerDay | null): boolean {
  if (day === null) return true;
  const end = closed === null || until === null ? Number.POSITIVE_INFINITY : until;
  return since < day.to && end > day.from;
}
