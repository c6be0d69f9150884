/** How many rows fit, counted and never guessed. A block is read only where its summary leaves it open. */
import type { Database } from 'better-sqlite3';
import type { LogResult } from '../../../contract/query-log/log-api.ts';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import type { SearchStep } from './find-page.ts';
import { prepareSearch, type Wanted, walk, withoutFilter } from './log-walk.ts';
import { rowCounter } from './rows-of-stretch.ts';

export interface CountRequest {
  filter: LogFilter;
  /** unix milliseconds */
  now: number;
}

export type CountedRows = LogResult<'count'>;

export function* countRows(
  database: Database,
  { filter, now }: CountRequest,
): Generator<SearchStep | undefined, CountedRows> {
  const wanted = yield* prepareSearch(database, filter, now);
  // What is erased meanwhile can then make the part too small, never larger than the whole.
  const of = yield* countFitting(database, withoutFilter(wanted));
  return { rows: yield* countFitting(database, wanted), of };
}

function* countFitting(database: Database, wanted: Wanted): Generator<SearchStep, number> {
  const rowsIn = rowCounter(database, wanted);
  let found = 0;
  for (const stretch of walk(database, wanted, Number.MAX_SAFE_INTEGER)) {
    found += rowsIn(stretch);
    yield { scanned: stretch.scanned, of: wanted.extent.rows, found };
  }
  return found;
}
