/** How records stand in the table of events; names stand in a table of their own. */
import type { Database } from 'better-sqlite3';
import { recordColumns } from '../engine/boundary.ts';

const columns = Object.entries(recordColumns);

/** Takes a record and `name_id` as named parameters. */
export const insertEvent = `INSERT INTO events (name_id, ${columns.map(([, { column }]) => column).join(', ')})
  VALUES (?, ${columns.map(([field]) => `@${field}`).join(', ')})`;

const fields = columns.map(([field, { column }]) => `${column} AS "${field}"`).join(', ');

/** Rows come back with the fields of `EventRecord`. */
export const selectEvents = `SELECT ${fields}, (SELECT name FROM names WHERE names.id = events.name_id) AS name FROM events`;

/** The same with `nameId` for the name: looking each up takes as long as reading half of the row. */
export const selectNumberedEvents = `SELECT ${fields}, name_id AS nameId FROM events`;

/** A column that the engine's record has gained since this file was made; rows from before have no value in it. */
export function addMissingColumns(database: Database): void {
  const known = new Set(
    database.prepare("SELECT name FROM pragma_table_info('events')").pluck().all(),
  );
  for (const [, { column, type }] of columns) {
    if (known.has(column)) continue;
    const nothing = type === 'TEXT' ? "''" : '0';
    database.exec(`ALTER TABLE events ADD COLUMN ${column} ${type} NOT NULL DEFAULT ${nothing}`);
  }
}
