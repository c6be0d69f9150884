/**
 * The downgrade ledger: every permission to send in clear, on disk before its first packet leaves, with how often it was
 * used. Its file is locked while we run, so that two services can never share one.
 */
import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { LedgerEntry } from '../../contract/service-status.ts';
import { makePrivateFolder } from '../private-folder.ts';
import type { Permission } from './permissions.ts';

export interface Ledger {
  /** Committed and synced when it returns; throws when the disk refuses. */
  open(permission: Permission): LedgerEntry;
  setCount(id: number, count: number): void;
  close(id: number, why: string): void;
  /** Those that are open, oldest first. */
  standing(): LedgerEntry[];
  /** Newest first. */
  list(limit: number): LedgerEntry[];
  release(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    class TEXT NOT NULL,
    network TEXT NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    since REAL NOT NULL,
    until REAL,
    count INTEGER NOT NULL DEFAULT 0,
    closed TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS standing ON entries (id) WHERE closed IS NULL;
`;

const columns = 'id, class, network, rule, reason, who, since, until, count, closed';

export function openLedger(file: string, now: () => number): Ledger {
  makePrivateFolder(dirname(file));
  const database = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    database.pragma('locking_mode = EXCLUSIVE');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.exec(schema);
    // What a crash left open was in force until then, nobody knows exactly when.
    database
      .prepare('UPDATE entries SET closed = ?, until = ? WHERE closed IS NULL')
      .run('interrupted', now());
  } catch (error) {
    database.close();
    throw error;
  }

  const insert = database.prepare(
    `INSERT INTO entries (class, network, rule, reason, who, since, until)
     VALUES (@class, @network, @rule, @reason, @who, @since, @until) RETURNING ${columns}`,
  );
  const count = database.prepare('UPDATE entries SET count = ? WHERE id = ? AND count < ?');
  const close = database.prepare(
    'UPDATE entries SET closed = ?, until = ? WHERE id = ? AND closed IS NULL',
  );
  const standing = database.prepare(
    `SELECT ${columns} FROM entries WHERE closed IS NULL ORDER BY id`,
  );
  const newest = database.prepare(`SELECT ${columns} FROM entries ORDER BY id DESC LIMIT ?`);

  return {
    open: (permission) => insert.get({ ...permission, since: now() }) as LedgerEntry,
    setCount: (id, value) => void count.run(value, id, value),
    close: (id, why) => void close.run(why, now(), id),
    standing: () => standing.all() as LedgerEntry[],
    list: (limit) => newest.all(limit) as LedgerEntry[],
    release: () => database.close(),
  };
}
