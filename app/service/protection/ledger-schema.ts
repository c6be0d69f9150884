/** The ledger's table, and how an older one is converted to it. */
import type { Database } from 'better-sqlite3';

export const columns =
  'id, class, network, networkLabel, "group", rule, reason, who, since, until, count, closed';

const table = `
  CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    class TEXT NOT NULL,
    network TEXT NOT NULL,
    networkLabel TEXT NOT NULL,
    "group" TEXT NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    since REAL NOT NULL,
    until REAL,
    count INTEGER DEFAULT 0,
    closed TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS standing ON entries (id) WHERE closed IS NULL;
`;

/** What the word of a list in `rule` stands for: a line for each rule, compressed. A list that was there before is not written again. */
const listsTable =
  'CREATE TABLE IF NOT EXISTS lists (word TEXT PRIMARY KEY, rules BLOB NOT NULL) STRICT';

const begunTable = 'CREATE TABLE IF NOT EXISTS begun (at REAL NOT NULL) STRICT';

/** One row: when the ledger began. A ledger of an earlier version began with its first entry, as far as is known. */
const noteBeginning = `
  INSERT INTO begun SELECT min(@now, coalesce((SELECT min(since) FROM entries), @now))
    WHERE NOT EXISTS (SELECT 1 FROM begun);
`;

const before =
  'id, class, network, network AS networkLabel, \'\' AS "group", rule, reason, who, since, until, count, closed';

export function prepareTable(database: Database, now: number): void {
  prepareEntries(database);
  database.exec(listsTable);
  database.exec(begunTable);
  database.prepare(noteBeginning).run({ now });
}

/** Ids continue from the old table, so that none is used twice. */
function prepareEntries(database: Database): void {
  const known = database.pragma('table_info(entries)') as { name: string }[];
  const old = known.length > 0 && !known.some(({ name }) => name === 'networkLabel');
  if (!old) {
    database.exec(table);
    return;
  }
  database.exec(`
    BEGIN;
    ALTER TABLE entries RENAME TO entriesBefore;
    DROP INDEX IF EXISTS standing;
    ${table}
    INSERT INTO entries (${columns}) SELECT ${before} FROM entriesBefore;
    UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'entriesBefore')
      WHERE name = 'entries';
    DROP TABLE entriesBefore;
    COMMIT;
  `);
}
