/** One page of the rows that fit. How many there are: count-rows.ts. */

import type { Database } from 'better-sqlite3';
import type { LogResult } from '../../../contract/query-log/log-api.ts';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import type { QueryEvent } from '../../../contract/query-log/query-event.ts';
import type { EventRecord } from '../../engine/boundary.ts';
import { selectEvents } from '../event-columns.ts';
import { presentEvent } from '../present-event.ts';
import { prepareSearch, walk } from './log-walk.ts';
import { stretchReader } from './rows-of-stretch.ts';

export interface PageRequest {
  filter: LogFilter;
  before?: number | undefined;
  limit: number;
  /** unix milliseconds */
  now: number;
}

/** How far a search has come; `events` are those found in this step. */
export interface SearchStep {
  scanned: number;
  of: number;
  found: number;
  events?: QueryEvent[];
}

export type FoundPage = LogResult<'search'>;

export function* findPage(
  database: Database,
  { filter, before, limit, now }: PageRequest,
): Generator<SearchStep | undefined, FoundPage> {
  const wanted = yield* prepareSearch(database, filter, now);
  const read = stretchReader<EventRecord>(database, wanted, selectEvents);
  const { rows } = wanted.extent;
  const events: QueryEvent[] = [];
  for (const stretch of walk(database, wanted, before ?? Number.MAX_SAFE_INTEGER)) {
    // One more than the page has says whether there is another.
    const fresh = read(stretch, limit + 1 - events.length).map(presentEvent);
    events.push(...fresh);
    if (events.length > limit) break;
    yield { scanned: stretch.scanned, of: rows, found: events.length, events: fresh };
  }
  const page = events.slice(0, limit);
  const next = events.length <= limit ? null : (page.at(-1)?.id ?? null);
  return { events: page, next };
}
