/** Reads the rows of a stretch that fit, newest first, or counts them. */
import type { Database, Statement } from 'better-sqlite3';
import type { Stretch, Wanted } from './log-walk.ts';
import type { NameSelection } from './name-selection.ts';

const range = 'WHERE id >= @from AND id < @below';
const amongIds = 'WHERE id IN (SELECT value FROM json_each(@ids))';

/** The rows of one stretch, as the selection makes them, `most` of them at most. */
export type ReadStretch<Row> = (stretch: Stretch, most?: number) => Row[];

/** `selection` is a SELECT without a condition, from events. */
export function stretchReader<Row>(
  database: Database,
  { condition, names }: Wanted,
  selection: string,
  shape: (statement: Statement) => Statement = (statement) => statement,
): ReadStretch<Row> {
  const { sql, parameters } = condition;
  const prepare = (text: string) => shape(database.prepare(text));
  const byIds = prepare(`${selection} ${amongIds} AND ${sql} ORDER BY id DESC LIMIT @most`);
  const order = 'ORDER BY id DESC LIMIT @most';
  const fitting = prepare(`${selection} ${range} AND ${sql} ${order}`);
  const all = prepare(`${selection} ${range} ${order}`);
  const named = database
    .prepare(`SELECT id, name_id FROM events ${range} AND ${sql} ORDER BY id DESC`)
    .raw();

  const readIds = (ids: readonly number[], most: number) =>
    byIds.all({ ...parameters, ids: JSON.stringify(ids), most }) as Row[];

  const readNamed = (from: number, below: number, selection: NameSelection, most: number) => {
    const rows = named.all({ ...parameters, from, below }) as [id: number, nameId: number][];
    const ids = rows.filter(([, nameId]) => selection.has(nameId)).map(([id]) => id);
    return ids.length === 0 ? [] : readIds(ids, most);
  };

  return (stretch, most = -1) => {
    if (stretch.kind === 'ids') return readIds(stretch.ids, most);
    const { from, below, bounds, summary } = stretch;
    if (bounds?.most === 0) return [];
    if (names !== null) return readNamed(from, below, names, most);
    if (summary !== null && bounds?.least === summary.rows)
      return all.all({ from, below, most }) as Row[];
    return fitting.all({ ...parameters, from, below, most }) as Row[];
  };
}

export function rowCounter(
  database: Database,
  { condition, names }: Wanted,
): (stretch: Stretch) => number {
  const { sql, parameters } = condition;
  const count = (where: string) =>
    database.prepare(`SELECT count(*) FROM events ${where} AND ${sql}`).pluck();
  const byIds = count(amongIds);
  const fitting = count(range);
  const named = database.prepare(`SELECT name_id FROM events ${range} AND ${sql}`).pluck();

  return (stretch) => {
    if (stretch.kind === 'ids')
      return byIds.get({ ...parameters, ids: JSON.stringify(stretch.ids) }) as number;
    const { from, below, bounds } = stretch;
    if (bounds?.most === 0) return 0;
    const at = { ...parameters, from, below };
    if (names !== null)
      return (named.all(at) as number[]).filter((nameId) => names.has(nameId)).length;
    return bounds !== null && bounds.least === bounds.most
      ? bounds.least
      : (fitting.get(at) as number);
  };
}

/** Counts the rows of a stretch that fit, alike ones together. `grouped`: a SELECT with groups, from the rows of its condition. */
export function groupReader<Group>(
  database: Database,
  { condition, names }: Wanted,
  grouped: (condition: string) => string,
  more: Readonly<Record<string, number>> = {},
): (stretch: Stretch) => Group[] {
  const { sql } = condition;
  const parameters = { ...condition.parameters, ...more };
  const prepare = (where: string) => database.prepare(grouped(`${where} AND ${sql}`)).raw();
  const byIds = prepare(amongIds);
  const fitting = prepare(range);
  const named = database.prepare(`SELECT id, name_id FROM events ${range} AND ${sql}`).raw();

  const readIds = (ids: readonly number[]) =>
    ids.length === 0 ? [] : (byIds.all({ ...parameters, ids: JSON.stringify(ids) }) as Group[]);

  return (stretch) => {
    if (stretch.kind === 'ids') return readIds(stretch.ids);
    const { from, below, bounds } = stretch;
    if (bounds?.most === 0) return [];
    if (names === null) return fitting.all({ ...parameters, from, below }) as Group[];
    const rows = named.all({ ...condition.parameters, from, below }) as [
      id: number,
      nameId: number,
    ][];
    return readIds(rows.filter(([, nameId]) => names.has(nameId)).map(([id]) => id));
  };
}
