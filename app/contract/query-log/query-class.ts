/** What became of a query, in the few classes that a person tells apart, each with the filter that finds it. */
import type { QueryEvent } from './query-event.ts';

export const queryClasses = [
  'encrypted',
  'cached',
  'exceptions',
  'unencrypted',
  'blocked',
  'failed',
] as const;
export type QueryClass = (typeof queryClasses)[number];

/** Of each class, how many queries fell into each interval of a time. */
export type CountsByClass = Record<QueryClass, number[]>;

/** In the language of log-filter.ts. Names of this computer itself count as cached: nobody was asked. */
export const classFilters: Record<QueryClass, string> = {
  encrypted: 'clear:none -outcome:cached,stale,local,refused,failed,dropped',
  cached: 'clear:none outcome:cached,stale,local',
  exceptions: 'clear:bypass -outcome:refused,failed,dropped',
  unencrypted: '-clear:none,bypass -outcome:refused,failed,dropped',
  blocked: 'outcome:refused',
  failed: 'outcome:failed,dropped',
};

/** A query that took longer than this many milliseconds counts as slow: people notice it. Waiting for a connection is included. */
export const slowMs = 100;

/** What the query log counts for a filter, each with the words that narrow the filter to it. */
export const facets = ['all', ...queryClasses, 'slow'] as const;
export type Facet = (typeof facets)[number];
export const facetFilters: Record<Facet, string> = {
  all: '',
  ...classFilters,
  slow: `slower:${slowMs}ms`,
};

export function classOf({ outcome, clear }: Pick<QueryEvent, 'outcome' | 'clear'>): QueryClass {
  if (outcome === 'refused') return 'blocked';
  if (outcome === 'failed' || outcome === 'dropped') return 'failed';
  if (clear !== 'none') return clear === 'bypass' ? 'exceptions' : 'unencrypted';
  return isAnsweredHere(outcome) ? 'cached' : 'encrypted';
}

function isAnsweredHere(outcome: QueryEvent['outcome']): boolean {
  return outcome === 'cached' || outcome === 'stale' || outcome === 'local';
}
