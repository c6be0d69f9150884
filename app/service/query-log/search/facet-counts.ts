/** Rows counted by facet: by what became of them, and how many were slow. */
import { clearClasses, outcomes } from '../../../contract/engine-words.ts';
import {
  classOf,
  type Facet,
  facets,
  type QueryClass,
  slowMs,
} from '../../../contract/query-log/query-class.ts';

export type Counts = Record<Facet, number>;

/** Rows that are alike in what facets are made of. */
export type Alike = [outcome: number, clear: number, slow: 0 | 1, rows: number];

/** A SELECT of which each row is `Alike`. */
export function groupedByFacet(condition: string): string {
  return `SELECT outcome, clear, total > ${slowMs * 1000} AS slow, count(*) FROM events ${condition}
          GROUP BY outcome, clear, slow`;
}

export function noCounts(): Counts {
  return Object.fromEntries(facets.map((facet) => [facet, 0])) as Counts;
}

export function addAlike(counts: Counts, [outcome, clear, slow, rows]: Alike): void {
  counts.all += rows;
  if (slow === 1) counts.slow += rows;
  counts[classOfRow(outcome, clear)] += rows;
}

/** Both as the query log writes them. */
export function classOfRow(outcome: number, clear: number): QueryClass {
  return classOf({
    outcome: outcomes[outcome] ?? 'dropped',
    clear: clearClasses[clear] ?? 'none',
  });
}

export function addCounts(counts: Counts, others: Counts): void {
  for (const facet of facets) counts[facet] += others[facet];
}

/** Of so many rows as if they were like those that were counted. */
export function scaled(counts: Counts, factor: number): Counts {
  return Object.fromEntries(
    facets.map((facet) => [facet, Math.round(counts[facet] * factor)]),
  ) as Counts;
}
