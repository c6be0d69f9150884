/**
 * The minutes that are left of what ends by itself, as people read them, and when the next minute is over. Pure; all times in
 * unix milliseconds.
 */
import type { ProtectionState } from '../contract/protection/protection-state.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';

const minute = 60_000;

export function minutesLeft(until: number | null, now: number): number | null {
  return until === null ? null : Math.max(1, Math.ceil((until - now) / minute));
}

/** When the minutes left become one fewer. */
export function nextMinute(until: number, now: number): number | null {
  const left = minutesLeft(until, now) ?? 1;
  return left === 1 ? null : until - (left - 1) * minute;
}

export function soonest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** What ends by itself and is counted down. */
export function ends({ protection, portal: seen }: ServiceStatus): number[] {
  return [endOf(protection), seen?.login?.until ?? null].filter((until) => until !== null);
}

/** When the state ends by itself; null where nothing ends it. */
function endOf(protection: ProtectionState): number | null {
  return protection.state === 'paused' || protection.state === 'exposed' ? protection.until : null;
}
