/**
 * The log's tables, as a list of migrations: the n-th leads to `user_version` n. A released one is never edited. Columns that
 * the engine's record has gained since are added without a migration.
 */
import type { Database } from 'better-sqlite3';
import { addMissingColumns } from './event-columns.ts';

/** "Sttq" in ASCII: `file` and other programs recognise a Sotto log by it. */
export const applicationId = 0x53747471;

const migrations: readonly string[] = [
  `
  CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;

  -- Words are stored as their position in the contract's lists, times are in microseconds (at: since 1970).
  -- The texts repeat but are short; a table of their own would cost an index as large as what it saves.
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    name_id INTEGER NOT NULL REFERENCES names (id),
    type INTEGER NOT NULL,
    class INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    transport INTEGER NOT NULL,
    client_protocol INTEGER NOT NULL,
    clear INTEGER NOT NULL,
    rcode INTEGER NOT NULL,
    extended_error INTEGER NOT NULL,
    total INTEGER NOT NULL,
    policy INTEGER NOT NULL,
    cache INTEGER NOT NULL,
    connect INTEGER NOT NULL,
    wait INTEGER NOT NULL,
    reply INTEGER NOT NULL,
    question_octets INTEGER NOT NULL,
    answer_octets INTEGER NOT NULL,
    client_port INTEGER NOT NULL,
    round_trips INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    upstream TEXT NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    client_address TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_at ON events (at);
  CREATE INDEX events_name ON events (name_id);

  -- All that mode "counts" keeps; minute is in minutes since 1970.
  CREATE TABLE counters (
    minute INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    transport INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (minute, outcome, transport, cost)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What each question cost on the wire; of those before nobody knows it.
  ALTER TABLE events ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN handshake INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Sequences of three characters of each name, written behind the writer's back (names up to search_progress).
  -- The text itself is in "names"; an entry whose name is gone finds nothing.
  CREATE VIRTUAL TABLE name_trigrams USING fts5 (
    name,
    content = 'names', content_rowid = 'id',
    tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
  );

  -- What 1,024 consecutive ids of events hold, counted (search/block-summary.ts), once all of them are there.
  CREATE TABLE blocks (
    id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL
  ) STRICT;

  -- names: the highest id that name_trigrams has seen. erased: entries of it whose name is gone.
  CREATE TABLE search_progress (
    what TEXT PRIMARY KEY,
    upto INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO search_progress VALUES ('names', 0), ('erased', 0);
  `,
  `
  -- A question and an answer are sections of a message; a program sends a query and is sent a response.
  ALTER TABLE events RENAME COLUMN question_octets TO query_octets;
  ALTER TABLE events RENAME COLUMN answer_octets TO response_octets;
  `,
  'ALTER TABLE events RENAME COLUMN reply TO response;',
  `
  -- What 16,384 consecutive ids of events hold, counted (search/roll-up.ts), once all of them are there. Times as in events.
  CREATE TABLE roll_ups (
    id INTEGER PRIMARY KEY,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    facets TEXT NOT NULL,
    client TEXT NOT NULL,
    program TEXT NOT NULL,
    domain TEXT NOT NULL
  ) STRICT;
  `,
  // Programs were counted by their control group alone. Roll-ups are written again, a block at a time.
  'DELETE FROM roll_ups;',
];

/** A file that this program can't or may not write: it is set aside, never changed. */
export class UnusableDatabase extends Error {}

export function refuseForeign(database: Database): void {
  const version = userVersion(database);
  const owner = database.pragma('application_id', { simple: true }) as number;
  const empty = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (owner === applicationId ? version > migrations.length : !(empty && owner === 0)) {
    const reason = owner === applicationId ? 'a newer Sotto wrote it' : 'another program wrote it';
    throw new UnusableDatabase(reason);
  }
}

export function migrate(database: Database): void {
  const outstanding = migrations.slice(userVersion(database));
  database.transaction(() => {
    for (const migration of outstanding) database.exec(migration);
    addMissingColumns(database);
    if (outstanding.length === 0) return;
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${migrations.length}`);
  })();
}

function userVersion(database: Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}
