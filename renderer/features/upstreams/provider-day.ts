/** How long a provider's answers took over a day, and in which intervals it answered. Pure. */
import type { Series } from '../../../app/contract/status/series.ts';

export type Day = Omit<Series['upstreams'][number], 'id'>;

export function dayOf({ upstreams }: Series, id: string): Day | null {
  return upstreams.find((one) => one.id === id) ?? null;
}

export const standings = ['answered', 'some-failed', 'none-answered', 'not-asked'] as const;
export type Standing = (typeof standings)[number];

/** What became of the tries in one interval. */
export function standingAt({ queries, failed }: Day, place: number): Standing {
  const [answered, inVain] = [queries[place] ?? 0, failed[place] ?? 0];
  if (answered > 0) return inVain > 0 ? 'some-failed' : 'answered';
  return inVain > 0 ? 'none-answered' : 'not-asked';
}

/** Neighbours of the same standing, as one. */
export interface Stretch {
  from: number;
  to: number;
  standing: Standing;
}

export function stretchesOf(day: Day): Stretch[] {
  const stretches: Stretch[] = [];
  for (const place of day.queries.keys()) {
    const standing = standingAt(day, place);
    const last = stretches.at(-1);
    if (last?.standing === standing) last.to = place + 1;
    else stretches.push({ from: place, to: place + 1, standing });
  }
  return stretches;
}

/**
 * The latency at the top of every chart, so that providers compare. A few very slow intervals of a provider would flatten all
 * others: they are cut off. Zero where nothing was answered.
 */
export function topOf(days: readonly Day[]): number {
  const known = (values: readonly (number | null)[]) => values.filter((one) => one !== null);
  const tops = days.map(({ p50, p95 }) =>
    Math.max(quantile(known(p50), 0.95), quantile(known(p95), 0.9)),
  );
  return Math.max(0, ...tops) * 1.1;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** A line through the medians, one unit of width for each interval; a gap where nothing was answered. */
export function medianPath({ p50 }: Pick<Day, 'p50'>, height: number, top: number): string {
  return runsOf(p50)
    .map(({ from, to }) => {
      const line = points(p50, from, to, height, top);
      return `M${line.join('L')}`;
    })
    .join('');
}

/** The band from the median up to the time within which 95 of 100 answers came. */
export function bandPath({ p50, p95 }: Day, height: number, top: number): string {
  return runsOf(p50)
    .map(({ from, to }) => {
      const over = points(p95, from, to, height, top);
      const under = points(p50, from, to, height, top).reverse();
      return `M${[...over, ...under].join('L')}Z`;
    })
    .join('');
}

interface Run {
  from: number;
  to: number;
}

function runsOf(values: readonly (number | null)[]): Run[] {
  const runs: Run[] = [];
  for (const [place, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last?.to === place) last.to = place + 1;
    else runs.push({ from: place, to: place + 1 });
  }
  return runs;
}

/** Through the middle of each interval, from the first one's beginning to the last one's end: one interval is a line, too. */
function points(
  values: readonly (number | null)[],
  from: number,
  to: number,
  height: number,
  top: number,
): string[] {
  const y = (place: number) => {
    const value = Math.min(values[place] ?? 0, top);
    return round(height - (top === 0 ? 0 : value / top) * height);
  };
  const middles = Array.from({ length: to - from }, (_, at) => from + at);
  return [
    `${from} ${y(from)}`,
    ...middles.map((place) => `${place + 0.5} ${y(place)}`),
    `${to} ${y(to - 1)}`,
  ];
}

const round = (value: number) => Math.round(value * 100) / 100;
