/** Whether a moment lies within hours of the day, by the clock on the wall. Pure. */
import { type HoursWindow, weekdays } from '../../contract/settings/condition.ts';

/**
 * `moment` is read in this process's time zone. Where clocks are put back, an hour comes twice and counts both times; where they
 * are put forward, it does not come.
 */
export function isWithinHours(windows: readonly HoursWindow[], moment: Date): boolean {
  return windows.some((window) => isWithin(window, moment));
}

function isWithin({ days, from, to }: HoursWindow, moment: Date): boolean {
  const minute = moment.getHours() * 60 + moment.getMinutes();
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  const beginsOn = (day: number) => days?.includes(dayName(day)) ?? true;
  const today = moment.getDay();
  if (begin < end) return beginsOn(today) && begin <= minute && minute < end;
  return minute >= begin ? beginsOn(today) : minute < end && beginsOn(today - 1);
}

/** Sunday is 0, and the day before it -1. */
function dayName(day: number): (typeof weekdays)[number] {
  return weekdays[(day + 6) % 7] ?? 'mon';
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
