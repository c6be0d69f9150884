/** What became of queries over time, as bars that stand on each other. Pure. */
import {
  type CountsByClass,
  type QueryClass,
  queryClasses,
} from '../../app/contract/query-log/query-class.ts';

/** Queries in equal intervals of time. */
export interface ClassSeries {
  /** unix milliseconds; where the first interval begins */
  since: number;
  /** milliseconds of each interval */
  step: number;
  outcomes: CountsByClass;
}

/** unix milliseconds of its end */
export function endOf({ since, step, outcomes }: ClassSeries): number {
  return since + step * outcomes.encrypted.length;
}

/** Two intervals and what lies between them, whichever is the earlier. */
export type Stretch = readonly [from: number, to: number];

/** How many of each class, over all intervals or in a stretch of them. */
export function totals({ outcomes }: ClassSeries, stretch?: Stretch): Record<QueryClass, number> {
  const [first, last] = ordered(stretch ?? [0, outcomes.encrypted.length - 1]);
  const total = (numbers: readonly number[]) =>
    numbers.slice(first, last + 1).reduce((sum, one) => sum + one, 0);
  return Object.fromEntries(queryClasses.map((name) => [name, total(outcomes[name])])) as Record<
    QueryClass,
    number
  >;
}

export interface Bar {
  part: QueryClass;
  /** shares of the chart's height, from its bottom */
  from: number;
  height: number;
}

/** The bars of every interval, the first class lowest; the highest interval fills the chart. */
export function stack({ outcomes }: ClassSeries): Bar[][] {
  const sums = outcomes.encrypted.map((_, place) =>
    queryClasses.reduce((sum, name) => sum + (outcomes[name][place] ?? 0), 0),
  );
  const highest = Math.max(1, ...sums);
  return sums.map((_, place) => {
    let from = 0;
    return queryClasses.flatMap((part) => {
      const height = (outcomes[part][place] ?? 0) / highest;
      const bar = { part, from, height };
      from += height;
      return height === 0 ? [] : [bar];
    });
  });
}

export function addUp(sums: Record<QueryClass, number>): number {
  return queryClasses.reduce((sum, name) => sum + sums[name], 0);
}

/** In unix milliseconds. */
export function timesOf(
  { since, step }: ClassSeries,
  stretch: Stretch,
): { since: number; until: number } {
  const [first, last] = ordered(stretch);
  return { since: since + first * step, until: since + (last + 1) * step };
}

export function ordered([from, to]: Stretch): Stretch {
  return from < to ? [from, to] : [to, from];
}
