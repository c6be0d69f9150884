/** How many rows fit, in equal intervals of time and by outcome. Blocks that fit as a whole are counted without being read. */

import type { Database } from 'better-sqlite3';
import { type Outcome, outcomes } from '../../../contract/engine-words.ts';
import type { LogResult, OutcomeCounts } from '../../../contract/query-log/log-api.ts';
import type { FilterTerm, LogFilter } from '../../../contract/query-log/log-filter.ts';
import type { BlockSummary } from './block-summary.ts';
import { prepareSearch, type Stretch, type Wanted, walk } from './log-walk.ts';
import { stretchReader } from './rows-of-stretch.ts';

export interface HistogramRequest {
  filter: LogFilter;
  /** unix milliseconds; `to` exclusive */
  from: number;
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
  counts: () => OutcomeCounts;
}

export function* countHistogram(
  database: Database,
  request: HistogramRequest,
): Generator<HistogramStep | undefined, Histogram> {
  const { from, to, width } = wholeStretches(request);
  const filter = [...request.filter, timeTerm('since', from), timeTerm('until', to)];
  const wanted = yield* prepareSearch(database, filter, request.now);
  const tally = new Tally(from * 1000, width, request.buckets);
  const count = stretchCounter(database, wanted, tally);
  for (const stretch of walk(database, wanted, Number.MAX_SAFE_INTEGER)) {
    count(stretch);
    yield {
      scanned: stretch.scanned,
      of: wanted.extent.rows,
      found: tally.found,
      counts: () => tally.counts(),
    };
  }
  return { from, to, width: width / 1000, counts: tally.counts() };
}

/** Whole milliseconds, and a width in whole microseconds, so that SQL and this code divide alike. */
function wholeStretches({ from, to, buckets }: HistogramRequest) {
  const start = Math.floor(from);
  const end = Math.max(start + 1, Math.ceil(to));
  return { from: start, to: end, width: Math.ceil(((end - start) * 1000) / buckets) };
}

function timeTerm(field: 'since' | 'until', time: number): FilterTerm {
  return { field, negated: false, values: [{ text: new Date(time).toISOString(), regex: false }] };
}

class Tally {
  readonly #from: number;
  readonly #width: number;
  readonly #buckets: number;
  readonly #counts = new Map<number, number[]>();
  found = 0;

  constructor(from: number, width: number, buckets: number) {
    this.#from = from;
    this.#width = width;
    this.#buckets = buckets;
  }

  bucketOf(at: number): number {
    return Math.floor((at - this.#from) / this.#width);
  }

  add(bucket: number, outcome: number, count: number): void {
    let counts = this.#counts.get(outcome);
    if (counts === undefined) {
      counts = new Array<number>(this.#buckets).fill(0);
      this.#counts.set(outcome, counts);
    }
    counts[bucket] = (counts[bucket] ?? 0) + count;
    this.found += count;
  }

  counts(): OutcomeCounts {
    const named: [Outcome, number[]][] = [];
    for (const [outcome, counts] of this.#counts) {
      const word = outcomes[outcome];
      if (word !== undefined) named.push([word, [...counts]]);
    }
    return Object.fromEntries(named);
  }
}

function stretchCounter(database: Database, wanted: Wanted, tally: Tally) {
  const { names } = wanted;
  const read = stretchReader<[number, number]>(
    database,
    wanted,
    'SELECT at, outcome FROM events',
    (statement) => statement.raw(),
  );
  return (stretch: Stretch) => {
    if (stretch.kind === 'range' && stretch.bounds?.most === 0) return;
    const whole = names === null ? wholeBlock(stretch, tally) : null;
    if (whole !== null) return countBlock(whole, tally);
    for (const [at, outcome] of read(stretch)) tally.add(tally.bucketOf(at), outcome, 1);
  };
}

function countBlock({ from, counts }: BlockSummary, tally: Tally): void {
  for (const [outcome, count] of Object.entries(counts.outcome ?? {}))
    tally.add(tally.bucketOf(from), Number(outcome), count);
}

/** A block of which every row fits, within one bucket. */
function wholeBlock(stretch: Stretch, tally: Tally): BlockSummary | null {
  if (stretch.kind === 'ids' || stretch.summary === null) return null;
  const { summary, bounds } = stretch;
  if (bounds?.least !== summary.rows || summary.others.outcome !== undefined) return null;
  return tally.bucketOf(summary.from) === tally.bucketOf(summary.to) ? summary : null;
}
