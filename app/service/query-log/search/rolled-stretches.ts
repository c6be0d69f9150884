/** A time of the query log as whole roll-ups, and as ranges of rows where there is no roll-up or only a part of it belongs to it. */
import type { Database } from 'better-sqlite3';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import { timeOf } from '../../../contract/query-log/log-filter-values.ts';
import { blockSize } from './block-summary.ts';
import { rollUpSize } from './roll-up.ts';

/** unix milliseconds; `until` exclusive */
export interface Span {
  since: number;
  until: number;
}

export type RolledStretch =
  | { kind: 'roll-up'; id: number }
  /** not all rows need belong to the time; `below` exclusive */
  | { kind: 'rows'; from: number; below: number };

/** Null: the filter wants more than a time. `now`: unix milliseconds. */
export function spanOf(filter: LogFilter, now: number): Span | null {
  const span = { since: 0, until: Number.MAX_SAFE_INTEGER / 1000 };
  for (const { field, negated, values } of filter) {
    if (negated || (field !== 'since' && field !== 'until')) return null;
    const time = timeOf(values[0]?.text ?? '', now);
    if (field === 'since') span.since = Math.max(span.since, time);
    else span.until = Math.min(span.until, time);
  }
  return span;
}

/** By id: the plus keeps SQLite from the index by time, which leads through all rows of a long time. */
export const rowsInSpan =
  'WHERE events.id >= @from AND events.id < @below AND +at >= @since AND +at < @until';

/** For `rowsInSpan`. */
export function parametersOf({ since, until }: Span): { since: number; until: number } {
  return { since: Math.ceil(since * 1000), until: Math.ceil(until * 1000) };
}

export function* rolledStretches(database: Database, span: Span): Generator<RolledStretch> {
  const { since, until } = parametersOf(span);
  const rollUps = database.prepare('SELECT id, since, until FROM roll_ups ORDER BY id').all() as {
    id: number;
    since: number;
    until: number;
  }[];
  const edge = database
    // Together in one SELECT they would read every row.
    .prepare('SELECT (SELECT min(id) FROM events), (SELECT max(id) FROM events)')
    .raw();
  const [first, last] = edge.get() as [number | null, number | null];
  if (first === null || last === null) return;
  let next = first;
  for (const rollUp of rollUps) {
    const from = rollUp.id * rollUpSize;
    yield* rowsBetween(next, from);
    next = from + rollUpSize;
    if (rollUp.until < since || rollUp.since >= until) continue;
    if (rollUp.since >= since && rollUp.until < until) yield { kind: 'roll-up', id: rollUp.id };
    else yield* rowsBetween(from, next);
  }
  yield* rowsBetween(next, last + 1);
}

/** Its rows, a block at a time. */
export function blocksOf(stretch: RolledStretch): Iterable<{ from: number; below: number }> {
  if (stretch.kind === 'rows') return [stretch];
  const from = stretch.id * rollUpSize;
  return rowsBetween(from, from + rollUpSize);
}

function* rowsBetween(
  from: number,
  below: number,
): Generator<Extract<RolledStretch, { kind: 'rows' }>> {
  for (let at = from; at < below; at += blockSize)
    yield { kind: 'rows', from: at, below: Math.min(at + blockSize, below) };
}
