/** The outcomes of a stretch of time as a person tells them apart, interval by interval. Pure. */
import type { LogResult } from '../../../app/contract/query-log/log-api.ts';

/** In the order in which they are stacked, from the bottom. */
export const parts = [
  'encrypted',
  'cached',
  'exceptions',
  'unencrypted',
  'blocked',
  'failed',
] as const;
export type Part = (typeof parts)[number];

export interface OutcomeSeries {
  /** unix milliseconds */
  from: number;
  to: number;
  /** milliseconds of an interval; the last one may be shorter */
  width: number;
  counts: Record<Part, number[]>;
}

type Counts = LogResult<'histogram'>;
type Outcome = keyof Counts['counts'];

const outcomesOf: Record<Exclude<Part, 'unencrypted'>, readonly Outcome[]> = {
  encrypted: ['forwarded'],
  cached: ['cached', 'stale', 'local'],
  exceptions: ['bypassed', 'portal'],
  blocked: ['refused'],
  failed: ['failed', 'dropped'],
};

/** The filter of `open`: what left unencrypted, and not because a rule or a login says so. */
export const openFilter = '-clear:none -clear:bypass -clear:portal';

/** `open`: those of `all` that left unencrypted. */
export function outcomeSeries(all: Counts, open: Counts): OutcomeSeries {
  const length = Math.max(1, Math.ceil((all.to - all.from) / all.width));
  const places = Array.from({ length }, (_, place) => place);
  const count = (of: Counts, outcomes: readonly Outcome[]) =>
    places.map((place) =>
      outcomes.reduce((sum, outcome) => sum + (of.counts[outcome]?.[place] ?? 0), 0),
    );
  const closed = (outcomes: readonly Outcome[]) => {
    const opened = count(open, outcomes);
    return count(all, outcomes).map((sum, place) => Math.max(0, sum - (opened[place] ?? 0)));
  };
  return {
    from: all.from,
    to: all.to,
    width: all.width,
    counts: {
      encrypted: closed(outcomesOf.encrypted),
      cached: closed(outcomesOf.cached),
      exceptions: closed(outcomesOf.exceptions),
      unencrypted: count(open, Object.keys(open.counts) as Outcome[]),
      blocked: closed(outcomesOf.blocked),
      failed: closed(outcomesOf.failed),
    },
  };
}

/** How many of each part, over all intervals or in one. */
export function totals({ counts }: OutcomeSeries, place?: number): Record<Part, number> {
  const total = (numbers: readonly number[]) =>
    place === undefined ? numbers.reduce((sum, one) => sum + one, 0) : (numbers[place] ?? 0);
  return Object.fromEntries(parts.map((part) => [part, total(counts[part])])) as Record<
    Part,
    number
  >;
}

export interface Bar {
  part: Part;
  /** shares of the chart's height, from its bottom */
  from: number;
  height: number;
}

/** The bars of every interval; the highest one fills the chart. */
export function stack({ counts }: OutcomeSeries): Bar[][] {
  const sums = counts.encrypted.map((_, place) =>
    parts.reduce((sum, part) => sum + (counts[part][place] ?? 0), 0),
  );
  const highest = Math.max(1, ...sums);
  return sums.map((_, place) => {
    let from = 0;
    return parts.flatMap((part) => {
      const height = (counts[part][place] ?? 0) / highest;
      const bar = { part, from, height };
      from += height;
      return height === 0 ? [] : [bar];
    });
  });
}
