/**
 * Walks through the query log, newest first, in stretches small enough to pause between. The summary of each block says whether
 * to leave it out. Where few rows have the wanted names, the walk goes through those rows alone.
 */
import type { Database } from 'better-sqlite3';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import { type BlockSummary, blockOf, blockSize } from './block-summary.ts';
import { type Bounds, boundsOf, type Condition, conditionOf } from './event-terms.ts';
import { selectNames } from './name-selection.ts';
import { readSummary } from './read-summary.ts';

export interface Wanted {
  filter: LogFilter;
  /** unix milliseconds: what durations count back from */
  now: number;
  /** of candidates, all but their names */
  condition: Condition;
  /** only some names are wanted, of which summaries of blocks know nothing */
  isByName: boolean;
  /** the rows that bear these names; none where any name is wanted */
  candidates: Candidates;
  /** rows in the query log, and the ids they lie between */
  extent: Extent;
}

/** Newest first; null where they are many. `newest` is the id of the first, or beyond it. */
interface Candidates {
  ids: readonly number[] | null;
  newest: number;
}

export interface Extent {
  rows: number;
  first: number;
  last: number;
}

/** `ids` are candidates, newest first; a range has `from` inclusive and `below` exclusive. */
export type Stretch = {
  /** how many rows are done after this stretch */
  scanned: number;
} & (
  | { kind: 'ids'; ids: readonly number[] }
  | {
      kind: 'range';
      from: number;
      below: number;
      bounds: Bounds | null;
      /** of the whole block, where the stretch is one */
      summary: BlockSummary | null;
    }
);

const summariesAtOnce = 256;
const idsAtOnce = 500;
/** For names with more rows than this, walking the blocks finds a page soon enough. */
const mostCandidates = 50_000;
const mostCandidateNames = 20_000;

export function* prepareSearch(
  database: Database,
  filter: LogFilter,
  now: number,
): Generator<undefined, Wanted> {
  const extent = database
    .prepare(
      // Together in one SELECT they would read every row.
      `SELECT ifnull((SELECT min(id) FROM events), 0) AS first,
              ifnull((SELECT max(id) FROM events), -1) AS last`,
    )
    .get() as Omit<Extent, 'rows'>;
  const names = yield* selectNames(database, filter);
  const candidates = names === null ? any : yield* candidateRows(database, names);
  const condition = conditionOf(filter, now);
  const areMany = names !== null && candidates.ids === null;
  return {
    filter,
    now,
    condition: areMany ? amongNames(database, names, condition) : condition,
    isByName: names !== null,
    candidates,
    extent: { ...extent, rows: extent.last - extent.first + 1 },
  };
}

/**
 * Names that too many rows bear are told to SQLite in a table of this connection, which has one job at a time. The plus keeps it
 * from going through the rows of each name: those lie all over the query log, where a walk through blocks reads each page once.
 */
function amongNames(
  database: Database,
  names: readonly number[],
  { sql, parameters }: Condition,
): Condition {
  database.exec(`DROP TABLE IF EXISTS temp.wanted_names;
    CREATE TEMP TABLE wanted_names (id INTEGER PRIMARY KEY) STRICT`);
  database
    .prepare('INSERT INTO temp.wanted_names SELECT value FROM json_each(?)')
    .run(JSON.stringify(names));
  return { sql: `+name_id IN (SELECT id FROM temp.wanted_names) AND (${sql})`, parameters };
}

/** The same rows of the query log, all of them. */
export function withoutFilter(wanted: Wanted): Wanted {
  const { now, extent } = wanted;
  const condition = conditionOf([], now);
  return { filter: [], now, condition, isByName: false, candidates: any, extent };
}

/** Everything below the id `before`; ranges are blocks, those without a row that fits left out. */
export function* walk(database: Database, wanted: Wanted, before: number): Generator<Stretch> {
  const { candidates, extent } = wanted;
  const below = Math.min(before, extent.last + 1);
  if (candidates.ids === null)
    return yield* walkBlocks(database, wanted, Math.min(below, candidates.newest + 1));
  const ids = candidates.ids.filter((id) => id < below);
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const scanned = Math.round((extent.rows * Math.min(at + idsAtOnce, ids.length)) / ids.length);
    yield { kind: 'ids', ids: ids.slice(at, at + idsAtOnce), scanned };
  }
}

const any: Candidates = { ids: null, newest: Number.MAX_SAFE_INTEGER };

function* candidateRows(
  database: Database,
  nameIds: readonly number[],
): Generator<undefined, Candidates> {
  if (nameIds.length > mostCandidateNames) return any;
  const rowsOf = database
    .prepare('SELECT id FROM events WHERE name_id = ? ORDER BY id DESC LIMIT ?')
    .pluck();
  const ids: number[] = [];
  let newest = -1;
  for (const nameId of nameIds) {
    const room = Math.max(1, mostCandidates + 1 - ids.length);
    const own = rowsOf.all(nameId, room) as number[];
    newest = Math.max(newest, own[0] ?? -1);
    if (ids.length <= mostCandidates) ids.push(...own);
    yield;
  }
  if (ids.length > mostCandidates) return { ids: null, newest };
  return { ids: ids.sort((a, b) => b - a), newest };
}

function* walkBlocks(database: Database, wanted: Wanted, below: number): Generator<Stretch> {
  const { first } = wanted.extent;
  let end = below;
  for (const [block, text] of summariesBelow(database, below, first)) {
    const start = block * blockSize;
    // Between blocks with a summary lie those without: new ones, and old ones that have lost rows.
    if (end > start + blockSize) yield* uncounted(database, wanted, start + blockSize, end);
    yield counted(wanted, readSummary(block, text), start, end);
    end = start;
    if (end <= first) return;
  }
  if (end > first) yield* uncounted(database, wanted, first, end);
}

/** Blocks and their summaries, the newest first, some at a time, down to the one that holds the id `first`. */
function* summariesBelow(
  database: Database,
  below: number,
  first: number,
): Generator<[number, string]> {
  const page = database
    .prepare(
      `SELECT id, summary FROM blocks WHERE id <= ? ORDER BY id DESC LIMIT ${summariesAtOnce}`,
    )
    .raw();
  for (let end = below; end > first; ) {
    const known = page.all(blockOf(end - 1)) as [number, string][];
    const last = known.at(-1);
    if (last === undefined) return;
    yield* known;
    end = last[0] * blockSize;
  }
}

/** The block from `start` on, of which `end` may cut off the newest rows: its summary does not count them then. */
function counted(
  { filter, now, extent, isByName }: Wanted,
  summary: BlockSummary,
  start: number,
  end: number,
): Stretch {
  const bounds = boundsOf(filter, summary, now);
  const whole = end >= start + blockSize;
  return {
    kind: 'range',
    from: start,
    below: Math.min(end, start + blockSize),
    bounds:
      bounds.most === 0 ? bounds : { ...bounds, least: whole && !isByName ? bounds.least : 0 },
    summary: whole ? summary : null,
    scanned: extent.last + 1 - start,
  };
}

/** Skips where there are no rows at all. */
function* uncounted(
  database: Database,
  { extent }: Wanted,
  from: number,
  below: number,
): Generator<Stretch> {
  const newest = database.prepare('SELECT max(id) FROM events WHERE id >= ? AND id < ?').pluck();
  for (let end = below; end > from; ) {
    const last = newest.get(from, end) as number | null;
    if (last === null) return;
    const start = Math.max(from, blockOf(last) * blockSize);
    yield {
      kind: 'range',
      from: start,
      below: last + 1,
      bounds: null,
      summary: null,
      scanned: extent.last + 1 - start,
    };
    end = start;
  }
}
