/** What became of queries over time, as bars that stand on each other. Pure. */
import { type QueryClass, queryClasses } from '../../../app/contract/query-log/query-class.ts';
import type { Series } from '../../../app/contract/status/series.ts';

/** unix milliseconds of its end */
export function endOf({ since, step, outcomes }: Series): number {
  return since + step * outcomes.encrypted.length;
}

/** How many of each class, over all intervals or in one. */
export function totals({ outcomes }: Series, place?: number): Record<QueryClass, number> {
  const total = (numbers: readonly number[]) =>
    place === undefined ? numbers.reduce((sum, one) => sum + one, 0) : (numbers[place] ?? 0);
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
export function stack({ outcomes }: Series): Bar[][] {
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
