/** One page of what fits, and how much there is of it. */
import type { Database } from 'better-sqlite3';
import type { LogResult } from '../../../contract/log-api.ts';
import type { LogFilter } from '../../../contract/log-filter.ts';
import type { QueryEvent } from '../../../contract/query-event.ts';
import { selectEvents } from '../event-columns.ts';
import type { EventRecord } from '../event-record.ts';
import { presentEvent } from '../present-event.ts';
import { boundsOf, type Likely } from './event-terms.ts';
import { prepareSearch, type Wanted, walk, walkBlocks } from './history-walk.ts';
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
  let scanned = 0;
  for (const stretch of walk(database, wanted, before ?? Number.MAX_SAFE_INTEGER)) {
    // One more than the page has says whether there is another.
    const fresh = read(stretch, limit + 1 - events.length).map(presentEvent);
    events.push(...fresh);
    ({ scanned } = stretch);
    if (events.length > limit) break;
    yield { scanned, of: rows, found: events.length, events: fresh };
  }
  const page = events.slice(0, limit);
  const complete = events.length <= limit;
  const next = complete ? null : (page.at(-1)?.id ?? null);
  if (complete && before === undefined)
    return { events: page, next, total: { rows: page.length, exact: true }, of: rows };
  const density = events.length / Math.max(1, scanned - skipped(wanted, before));
  return { events: page, next, total: yield* total(database, wanted, density), of: rows };
}

/** Rows newer than the page begins. */
function skipped({ extent }: Wanted, before: number | undefined): number {
  return before === undefined ? 0 : Math.max(0, extent.last + 1 - before);
}

/** Exact where blocks and names alone can tell; else what is likely. `density` is the share that fitted on the way. */
function* total(
  database: Database,
  wanted: Wanted,
  density: number,
): Generator<undefined, FoundPage['total']> {
  const { names, candidates, extent } = wanted;
  if (names !== null && candidates.ids === null)
    return { rows: Math.round(density * extent.rows), exact: false };
  const { least, most, likely } = yield* countBlocks(database, wanted);
  if (candidates.ids === null) return { rows: Math.round(likely), exact: least === most };
  const share = likely / Math.max(1, extent.rows);
  return { rows: Math.round(candidates.ids.length * share), exact: least === extent.rows };
}

/** As if all names were wanted. */
function* countBlocks(database: Database, wanted: Wanted): Generator<undefined, Likely> {
  const { filter, now, condition } = wanted;
  const count = database
    .prepare(`SELECT count(*) FROM events WHERE id >= @from AND id < @below AND ${condition.sql}`)
    .pluck();
  const sum: Likely = { least: 0, most: 0, likely: 0 };
  for (const stretch of walkBlocks(database, wanted, wanted.extent.last + 1)) {
    if (stretch.kind === 'ids') continue;
    const { summary, from, below } = stretch;
    const exact = () => count.get({ ...condition.parameters, from, below }) as number;
    const bounds = summary === null ? certain(exact()) : boundsOf(filter, summary, now);
    sum.least += bounds.least;
    sum.most += bounds.most;
    sum.likely += bounds.likely;
    yield;
  }
  return sum;
}

function certain(rows: number): Likely {
  return { least: rows, most: rows, likely: rows };
}
