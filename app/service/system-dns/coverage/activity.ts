/**
 * When a program is said to go around Sotto: never for a single stray packet. docs/design/coverage.md explains the numbers. Pure.
 */

/** What one sender did, in moments; bounded. */
export interface Activity {
  /** by minute, of the last ten */
  readonly minutes: readonly { readonly minute: number; readonly count: number }[];
  /** times without a pause of ten minutes; the last few */
  readonly episodes: readonly { readonly first: number; readonly newest: number }[];
}

export const noActivity: Activity = { minutes: [], episodes: [] };

const minuteMs = 60_000;
const pauseMs = 10 * minuteMs;
const mostEpisodes = 4;
const repeated = { count: 3, minutes: 2 };
const recurring = { episodes: 2, withinMs: 180 * minuteMs, quietMs: 120 * minuteMs };

/** `at`: when the newest of them left. */
export function noteActivity(before: Activity, at: number, count: number): Activity {
  return { minutes: minutesWith(before, at, count), episodes: episodesWith(before, at) };
}

/** It repeats now, or it comes back again and again. */
export function goesAround({ minutes, episodes }: Activity, now: number): boolean {
  const recent = minutes.filter(({ minute }) => minute > minuteOf(now - pauseMs));
  const count = recent.reduce((sum, one) => sum + one.count, 0);
  if (count >= repeated.count && recent.length >= repeated.minutes) return true;
  const known = episodes.filter(({ newest }) => newest > now - recurring.withinMs);
  const newest = known.at(-1)?.newest ?? 0;
  return known.length >= recurring.episodes && newest > now - recurring.quietMs;
}

function minutesWith({ minutes }: Activity, at: number, count: number): Activity['minutes'] {
  const minute = minuteOf(at);
  const others = minutes.filter((one) => one.minute !== minute);
  const same = minutes.find((one) => one.minute === minute)?.count ?? 0;
  const first = minute - pauseMs / minuteMs;
  return [...others.filter((one) => one.minute > first), { minute, count: same + count }];
}

function episodesWith({ episodes }: Activity, at: number): Activity['episodes'] {
  const last = episodes.at(-1);
  if (last === undefined || at - last.newest > pauseMs)
    return [...episodes, { first: at, newest: at }].slice(-mostEpisodes);
  return [...episodes.slice(0, -1), { ...last, newest: Math.max(last.newest, at) }];
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteMs);
}
