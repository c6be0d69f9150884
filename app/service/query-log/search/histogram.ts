/**
 * How many rows fit, in equal intervals of time and by class. Where only a time is wanted, roll-ups within one interval are added
 * up. Blocks within one interval that fit as a whole are counted without being read.
 */

import type { Database } from 'better-sqlite3';
import type { LogResult } from '../../../contract/query-log/log-api.ts';
import type { FilterTerm, LogFilter } from '../../../contract/query-log/log-filter.ts';
import {
  type CountsByClass,
  type QueryClass,
  queryClasses,
} from '../../../contract/query-log/query-class.ts';
import { type BlockSummary, blockOf, blockSize } from './block-summary.ts';
import { type Counts, classOfRow } from './facet-counts.ts';
import { prepareSearch, type Stretch, type Wanted, walk } from './log-walk.ts';
import { readSummary } from './read-summary.ts';
import {
  blocksOf,
  parametersOf,
  rolledStretches,
  rowsInSpan,
  type Span,
  spanOf,
} from './rolled-stretches.ts';
import { groupReader } from './rows-of-stretch.ts';

export interface HistogramRequest {
  filter: LogFilter;
  /** unix milliseconds; left out: an hour before `to`, or the oldest row where that is earlier */
  from?: number | undefined;
  /** exclusive */
  to: number;
  buckets: number;
  now: number;
}

export type Histogram = LogResult<'histogram'>;

export interface HistogramStep {
  scanned: number;
  of: number;
  found: number;
  /** the counts so far */
  counts: () => CountsByClass;
}

export function* countHistogram(
  database: Database,
  request: HistogramRequest,
): Generator<HistogramStep | undefined, Histogram> {
  const { from, to, width } = wholeIntervals(database, request);
  const filter = [...request.filter, timeTerm('since', from), timeTerm('until', to)];
  const tally = new Tally(from * 1000, width, request.buckets);
  const span = spanOf(filter, request.now);
  if (span !== null) yield* countSpan(database, span, tally);
  else yield* countFitting(database, yield* prepareSearch(database, filter, request.now), tally);
  return { from, to, width: width / 1000, counts: tally.counts() };
}

/** Whole milliseconds, and a width in whole microseconds, so that SQL and this code divide alike. */
function wholeIntervals(database: Database, { from, to, buckets }: HistogramRequest) {
  const start = Math.max(0, Math.floor(from ?? Math.min(to - hour, oldest(database) ?? to)));
  const end = Math.max(start + 1, Math.ceil(to));
  return { from: start, to: end, width: Math.ceil(((end - start) * 1000) / buckets) };
}

const hour = 3_600_000;

function oldest(database: Database): number | null {
  const at = database.prepare('SELECT min(at) FROM events').pluck().get() as number | null;
  return at === null ? null : at / 1000;
}

function timeTerm(field: 'since' | 'until', time: number): FilterTerm {
  return { field, negated: false, values: [{ text: new Date(time).toISOString(), regex: false }] };
}

class Tally {
  /** unix microseconds */
  readonly from: number;
  readonly width: number;
  readonly #counts: CountsByClass;
  found = 0;

  constructor(from: number, width: number, buckets: number) {
    this.from = from;
    this.width = width;
    this.#counts = Object.fromEntries(
      queryClasses.map((name) => [name, new Array<number>(buckets).fill(0)]),
    ) as CountsByClass;
  }

  bucketOf(at: number): number {
    return Math.floor((at - this.from) / this.width);
  }

  add(bucket: number, name: QueryClass, rows: number): void {
    const counts = this.#counts[name];
    counts[bucket] = (counts[bucket] ?? 0) + rows;
    this.found += rows;
  }

  counts(): CountsByClass {
    return structuredClone(this.#counts);
  }
}

/** Rows of one interval that are alike. */
type Group = [bucket: number, outcome: number, clear: number, rows: number];

/** Parameters are floating-point numbers to SQLite, so it divides as `bucketOf` does. */
const groupedByInterval = (condition: string) =>
  `SELECT CAST((at - @start) / @width AS INTEGER) AS bucket, outcome, clear, count(*) FROM events ${condition}
   GROUP BY bucket, outcome, clear`;

function addGroups(tally: Tally, groups: readonly Group[]): void {
  for (const [bucket, outcome, clear, rows] of groups)
    tally.add(bucket, classOfRow(outcome, clear), rows);
}

function* countSpan(database: Database, span: Span, tally: Tally): Generator<undefined> {
  const rolledUp = database.prepare('SELECT since, until, facets FROM roll_ups WHERE id = ?').raw();
  const countBlock = blockCounter(database, span, tally);
  for (const stretch of rolledStretches(database, span)) {
    const rollUp = stretch.kind === 'roll-up' ? rolledUp.get(stretch.id) : undefined;
    const isAdded = rollUp !== undefined && addRollUp(tally, rollUp as RollUp);
    for (const { from, below } of isAdded ? [] : blocksOf(stretch)) {
      countBlock(from, below);
      yield;
    }
    yield;
  }
}

/** By its summary where that says enough, else by its rows. */
function blockCounter(
  database: Database,
  span: Span,
  tally: Tally,
): (from: number, below: number) => void {
  const { from: start, width } = tally;
  const grouped = database.prepare(groupedByInterval(rowsInSpan)).raw();
  const summaryOf = summaryReader(database);
  return (from, below) => {
    const summary = summaryOf(from, below);
    if (summary !== null && isWithin(summary, span) && isCountable(summary, tally))
      return addBlock(tally, summary);
    const given = { ...parametersOf(span), start, width, from, below };
    addGroups(tally, grouped.all(given) as Group[]);
  };
}

/** Null where the rows are no whole block, or one without a summary. */
function summaryReader(database: Database): (from: number, below: number) => BlockSummary | null {
  const written = database.prepare('SELECT summary FROM blocks WHERE id = ?').pluck();
  return (from, below) => {
    const block = blockOf(from);
    if (from !== block * blockSize || below - from !== blockSize) return null;
    const text = written.get(block) as string | undefined;
    return text === undefined ? null : readSummary(block, text);
  };
}

function isWithin({ from, to }: BlockSummary, span: Span): boolean {
  const { since, until } = parametersOf(span);
  return from >= since && to < until;
}

type RollUp = [since: number, until: number, facets: string];

/** False: it is in several intervals. */
function addRollUp(tally: Tally, [since, until, facets]: RollUp): boolean {
  const bucket = oneBucket(tally, since, until);
  if (bucket === null) return false;
  const counts = JSON.parse(facets) as Counts;
  for (const name of queryClasses) tally.add(bucket, name, counts[name]);
  return true;
}

function oneBucket(tally: Tally, since: number, until: number): number | null {
  const bucket = tally.bucketOf(since);
  return bucket === tally.bucketOf(until) ? bucket : null;
}

function* countFitting(
  database: Database,
  wanted: Wanted,
  tally: Tally,
): Generator<HistogramStep | undefined> {
  const { from: start, width } = tally;
  const read = groupReader<Group>(database, wanted, groupedByInterval, { start, width });
  for (const stretch of walk(database, wanted, Number.MAX_SAFE_INTEGER)) {
    const { scanned } = stretch;
    const whole = wholeBlock(stretch);
    if (whole !== null && isCountable(whole, tally)) addBlock(tally, whole);
    else addGroups(tally, read(stretch));
    yield { scanned, of: wanted.extent.rows, found: tally.found, counts: () => tally.counts() };
  }
}

/** A block of which every row fits. */
function wholeBlock(stretch: Stretch): BlockSummary | null {
  if (stretch.kind === 'ids' || stretch.summary === null) return null;
  return stretch.bounds?.least === stretch.summary.rows ? stretch.summary : null;
}

/** Whether it lies within one interval and its outcomes say the class of each row: none left in cleartext. */
function isCountable({ counts, others, rows, from, to }: BlockSummary, tally: Tally): boolean {
  if (others.outcome !== undefined || counts.clear?.[0] !== rows) return false;
  return oneBucket(tally, from, to) !== null;
}

function addBlock(tally: Tally, { from, counts }: BlockSummary): void {
  for (const [outcome, rows] of Object.entries(counts.outcome ?? {}))
    tally.add(tally.bucketOf(from), classOfRow(Number(outcome), 0), rows);
}
