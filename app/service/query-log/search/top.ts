/**
 * What occurs most among the rows that fit. Where only a time is wanted, roll-ups are added up, and rows at its edges; else
 * all rows that fit are counted.
 */
import type { Database } from 'better-sqlite3';
import type { LogResult, TopKind } from '../../../contract/query-log/log-api.ts';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import { applicationOf } from '../present-asker.ts';
import type { SearchStep } from './find-page.ts';
import { prepareSearch, walk } from './log-walk.ts';
import type { WrittenValues } from './roll-up.ts';
import {
  parametersOf,
  rolledStretches,
  rowsInSpan,
  type Span,
  spanOf,
} from './rolled-stretches.ts';
import { groupReader } from './rows-of-stretch.ts';
import { addValues, groupedByValue, type Values } from './value-counts.ts';

export interface TopRequest {
  by: TopKind;
  filter: LogFilter;
  limit: number;
  /** unix milliseconds */
  now: number;
}

export type Top = LogResult<'top'>;

interface Counted {
  values: Values;
  queries: number;
  isExact: boolean;
}

export function* top(
  database: Database,
  request: TopRequest,
): Generator<SearchStep | undefined, Top> {
  const { by, limit, filter, now } = request;
  const span = spanOf(filter, now);
  const { values, queries, isExact } =
    span === null ? yield* inFitting(database, request) : yield* inSpan(database, by, span);
  return { rows: mostOf(values, limit).map(withIcon), queries, isExact };

  function withIcon([value, count]: [string, number]): Top['rows'][number] {
    const icon = by === 'program' ? applicationOf(value).icon : '';
    return { value, count, icon: icon === '' ? null : icon };
  }
}

function* inSpan(database: Database, by: TopKind, span: Span): Generator<undefined, Counted> {
  const rolledUp = database
    .prepare(`SELECT json_extract(facets, '$.all'), ${by} FROM roll_ups WHERE id = ?`)
    .raw();
  const grouped = database.prepare(groupedByValue(by, rowsInSpan)).raw();
  const rowsOf = database.prepare(`SELECT count(*) FROM events ${rowsInSpan}`).pluck();
  const values: Values = new Map();
  let queries = 0;
  let others = 0;
  for (const stretch of rolledStretches(database, span)) {
    if (stretch.kind === 'roll-up') {
      const row = rolledUp.get(stretch.id) as [number, string] | undefined;
      // Erased meanwhile.
      if (row === undefined) continue;
      const [rows, text] = row;
      queries += rows;
      others += addWritten(values, JSON.parse(text) as WrittenValues);
    } else {
      const range = { ...parametersOf(span), from: stretch.from, below: stretch.below };
      addValues(values, by, grouped.all(range) as [string, number][]);
      queries += rowsOf.get(range) as number;
    }
    yield;
  }
  return { values, queries, isExact: others === 0 };
}

function* inFitting(
  database: Database,
  { by, filter, now }: TopRequest,
): Generator<SearchStep | undefined, Counted> {
  const wanted = yield* prepareSearch(database, filter, now);
  const read = groupReader<[value: string, rows: number]>(database, wanted, (condition) =>
    groupedByValue(by, condition),
  );
  const values: Values = new Map();
  let queries = 0;
  for (const stretch of walk(database, wanted, Number.MAX_SAFE_INTEGER)) {
    const found = read(stretch);
    addValues(values, by, found);
    for (const [, rows] of found) queries += rows;
    yield { scanned: stretch.scanned, of: wanted.extent.rows, found: queries };
  }
  return { values, queries, isExact: true };
}

/** How many rows have values that are not among the written ones. */
function addWritten(values: Values, { counts, others }: WrittenValues): number {
  for (let at = 0; at + 1 < counts.length; at += 2) {
    const value = counts[at] as string;
    values.set(value, (values.get(value) ?? 0) + (counts[at + 1] as number));
  }
  return others;
}

function mostOf(values: Values, limit: number): [string, number][] {
  return [...values]
    .sort(([one, few], [other, many]) => many - few || (one < other ? -1 : 1))
    .slice(0, limit);
}
