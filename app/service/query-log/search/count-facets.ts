/**
 * How many rows that fit are of each facet. Where only a time is wanted, roll-ups are added up. Else all rows are looked at, as
 * for a count, and a sample of blocks from all over the query log gives an estimate before.
 */
import type { Database } from 'better-sqlite3';
import type { FacetCounts } from '../../../contract/query-log/log-api.ts';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import { blockOf, blockSize } from './block-summary.ts';
import {
  type Alike,
  addAlike,
  addCounts,
  type Counts,
  groupedByFacet,
  noCounts,
  scaled,
} from './facet-counts.ts';
import { prepareSearch, type Stretch, type Wanted, walk } from './log-walk.ts';
import {
  parametersOf,
  rolledStretches,
  rowsInSpan,
  type Span,
  spanOf,
} from './rolled-stretches.ts';
import { groupReader } from './rows-of-stretch.ts';

export interface FacetsRequest {
  filter: LogFilter;
  /** unix milliseconds */
  now: number;
}

export interface FacetsStep {
  scanned: number;
  of: number;
  found: number;
  facets: FacetCounts;
}

const sampledBlocks = 48;

export function* countFacets(
  database: Database,
  { filter, now }: FacetsRequest,
): Generator<FacetsStep | undefined, FacetCounts> {
  const span = spanOf(filter, now);
  if (span !== null) return { counts: yield* countSpan(database, span), isExact: true };
  const wanted = yield* prepareSearch(database, filter, now);
  const read = groupReader<Alike>(database, wanted, groupedByFacet);
  const { rows: of } = wanted.extent;
  const sampled = yield* estimate(wanted, read);
  const counts = noCounts();
  for (const stretch of walk(database, wanted, Number.MAX_SAFE_INTEGER)) {
    for (const alike of read(stretch)) addAlike(counts, alike);
    const { scanned } = stretch;
    const share = scanned / Math.max(1, of);
    const guessed = sampled ?? scaled(counts, 1 / Math.max(share, Number.EPSILON));
    yield { scanned, of, found: counts.all, facets: { counts: guessed, isExact: false } };
  }
  return { counts, isExact: true };
}

function* countSpan(database: Database, span: Span): Generator<undefined, Counts> {
  const counts = noCounts();
  const rolledUp = database.prepare('SELECT facets FROM roll_ups WHERE id = ?').pluck();
  const inSpan = database.prepare(groupedByFacet(rowsInSpan)).raw();
  for (const stretch of rolledStretches(database, span)) {
    if (stretch.kind === 'roll-up') {
      const text = rolledUp.get(stretch.id) as string | undefined;
      if (text !== undefined) addCounts(counts, JSON.parse(text) as Counts);
    } else {
      const range = { ...parametersOf(span), from: stretch.from, below: stretch.below };
      for (const alike of inSpan.all(range) as Alike[]) addAlike(counts, alike);
    }
    yield;
  }
  return counts;
}

/** Null: so few rows are in question that all of them are counted at once. */
function* estimate(
  { extent, candidates }: Wanted,
  read: (stretch: Stretch) => Alike[],
): Generator<undefined, Counts | null> {
  const first = blockOf(extent.first) + 1;
  const blocks = blockOf(extent.last) - first;
  if (candidates.ids !== null || blocks < 4 * sampledBlocks) return null;
  const counts = noCounts();
  for (let index = 0; index < sampledBlocks; index += 1) {
    const from = (first + Math.floor((index * blocks) / sampledBlocks)) * blockSize;
    const block = { kind: 'range', from, below: from + blockSize } as const;
    const sample = read({ ...block, bounds: null, summary: null, scanned: 0 });
    for (const alike of sample) addAlike(counts, alike);
    yield;
  }
  return scaled(counts, extent.rows / (sampledBlocks * blockSize));
}
