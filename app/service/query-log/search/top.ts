/** What occurs most in a time: added up from roll-ups, and from rows at the edges. */
import type { Database } from 'better-sqlite3';
import type { LogParams, LogResult } from '../../../contract/query-log/log-api.ts';
import { applicationOf } from '../present-asker.ts';
import type { WrittenValues } from './roll-up.ts';
import { parametersOf, rolledStretches, rowsInSpan } from './rolled-stretches.ts';
import { addValues, selectValues, type Values } from './value-counts.ts';

export type TopRequest = LogParams<'top'>;
export type Top = LogResult<'top'>;

export function* top(database: Database, request: TopRequest): Generator<undefined, Top> {
  const { by, limit } = request;
  const rolledUp = database
    .prepare(`SELECT json_extract(facets, '$.all'), ${by} FROM roll_ups WHERE id = ?`)
    .raw();
  const inSpan = selectValues(database, rowsInSpan)[by];
  const rowsOf = database.prepare(`SELECT count(*) FROM events ${rowsInSpan}`).pluck();
  const values: Values = new Map();
  let queries = 0;
  let others = 0;
  for (const stretch of rolledStretches(database, request)) {
    if (stretch.kind === 'roll-up') {
      const row = rolledUp.get(stretch.id) as [number, string] | undefined;
      // Erased meanwhile.
      if (row === undefined) continue;
      const [rows, text] = row;
      queries += rows;
      others += addWritten(values, JSON.parse(text) as WrittenValues);
    } else {
      const range = { ...parametersOf(request), from: stretch.from, below: stretch.below };
      addValues(values, by, inSpan.all(range) as [string, number][]);
      queries += rowsOf.get(range) as number;
    }
    yield;
  }
  return { rows: mostOf(values, limit).map(withIcon), queries, isExact: others === 0 };

  function withIcon([value, count]: [string, number]): Top['rows'][number] {
    const icon = by === 'program' ? applicationOf(value).icon : '';
    return { value, count, icon: icon === '' ? null : icon };
  }
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
