/** Reads the rows of a stretch that fit, newest first, or counts them. */
import type { Database, Statement } from 'better-sqlite3';
import type { Stretch, Wanted } from './log-walk.ts';

const range = 'WHERE id >= @from AND id < @below';
const amongIds = 'WHERE id IN (SELECT value FROM json_each(@ids))';

/** The rows of one stretch, as the selection makes them, `most` of them at most. */
export type ReadStretch<Row> = (stretch: Stretch, most?: number) => Row[];

/** `selection` is a SELECT without a condition, from events. */
export function stretchReader<Row>(
  database: Database,
  { condition: { sql, parameters } }: Wanted,
  selection: string,
  shape: (statement: Statement) => Statement = (statement) => statement,
): ReadStretch<Row> {
  const prepare = (text: string) => shape(database.prepare(text));
  const order = 'ORDER BY id DESC LIMIT @most';
  const byIds = prepare(`${selection} ${amongIds} AND ${sql} ${order}`);
  const fitting = prepare(`${selection} ${range} AND ${sql} ${order}`);
  const all = prepare(`${selection} ${range} ${order}`);

  return (stretch, most = -1) => {
    if (stretch.kind === 'ids')
      return byIds.all({ ...parameters, ids: JSON.stringify(stretch.ids), most }) as Row[];
    const { from, below, bounds, summary } = stretch;
    if (bounds?.most === 0) return [];
    if (summary !== null && bounds?.least === summary.rows)
      return all.all({ from, below, most }) as Row[];
    return fitting.all({ ...parameters, from, below, most }) as Row[];
  };
}

export function rowCounter(
  database: Database,
  { condition: { sql, parameters } }: Wanted,
): (stretch: Stretch) => number {
  const count = (where: string) =>
    database.prepare(`SELECT count(*) FROM events ${where} AND ${sql}`).pluck();
  const byIds = count(amongIds);
  const fitting = count(range);

  return (stretch) => {
    if (stretch.kind === 'ids')
      return byIds.get({ ...parameters, ids: JSON.stringify(stretch.ids) }) as number;
    const { from, below, bounds } = stretch;
    if (bounds !== null && bounds.least === bounds.most) return bounds.least;
    return fitting.get({ ...parameters, from, below }) as number;
  };
}

/** Counts the rows of a stretch that fit, alike ones together. `grouped`: a SELECT with groups, from the rows of its condition. */
export function groupReader<Group>(
  database: Database,
  { condition: { sql, parameters } }: Wanted,
  grouped: (condition: string) => string,
  more: Readonly<Record<string, number>> = {},
): (stretch: Stretch) => Group[] {
  const prepare = (where: string) => database.prepare(grouped(`${where} AND ${sql}`)).raw();
  const byIds = prepare(amongIds);
  const fitting = prepare(range);
  const given = { ...parameters, ...more };

  return (stretch) => {
    if (stretch.kind === 'ids')
      return byIds.all({ ...given, ids: JSON.stringify(stretch.ids) }) as Group[];
    const { from, below, bounds } = stretch;
    if (bounds?.most === 0) return [];
    return fitting.all({ ...given, from, below }) as Group[];
  };
}
