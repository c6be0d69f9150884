/**
 * A made-up day of browsing: pages with bursts of names that some have and others don't, and pauses to read between them. Bursts
 * have their real length. Pauses are a thirtieth of theirs, so that an idle limit of 60 s becomes one of 2 s, and none is longer
 * than twice that limit, because nothing changes after it.
 */
const compression = 30;
export const idleSeconds = 60 / compression;
const longestPauseSeconds = 2 * idleSeconds;
/** of the natural logarithm of a pause in seconds, before it is compressed: the median is 20 s, one in five is over a minute */
const pauses = { mean: 3, deviation: 1.3 };
const differentNames = 2000;
/** a page's other names are queried over this time */
const loadingMs = 900;

export interface DayQuery {
  atMs: number;
  /** Zipf: the first is queried most */
  rank: number;
}

/** The same queries for the same seed, in order of time. */
export function dayOf(seed: number, seconds: number): DayQuery[] {
  const chance = chanceFrom(seed);
  const rank = zipf(chance);
  const queries: DayQuery[] = [];
  for (let atMs = 0; atMs < seconds * 1000; ) {
    queries.push({ atMs, rank: rank() });
    for (let others = namesOfPage(chance) - 1; others > 0; others--)
      queries.push({ atMs: atMs + 40 + chance() * loadingMs, rank: rank() });
    atMs += loadingMs + 1000 * pauseSeconds(chance);
  }
  return queries.sort((left, right) => left.atMs - right.atMs);
}

/** 62 % of pages need four names or more, 32 % ten or more (40 million pages, T-DNS report). */
function namesOfPage(chance: () => number): number {
  const share = chance();
  const [from, to] = share < 0.38 ? [1, 3] : share < 0.68 ? [4, 9] : [10, 30];
  return from + Math.floor(chance() * (to - from + 1));
}

function pauseSeconds(chance: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  const real = Math.exp(pauses.mean + pauses.deviation * normal);
  return Math.min(longestPauseSeconds, real / compression);
}

function zipf(chance: () => number): () => number {
  const upTo: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= differentNames; rank++) {
    sum += 1 / rank;
    upTo.push(sum);
  }
  return () => {
    const drawn = chance() * sum;
    return upTo.findIndex((bound) => drawn < bound);
  };
}

/** mulberry32: from 0 up to, but not including, 1 */
function chanceFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
