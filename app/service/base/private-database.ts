/** A small database that belongs to this process alone, and from which what is erased is gone. */
import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { makePrivateFolder } from './private-folder.ts';

/** `prepare`: makes its tables and takes its lock. Whatever throws there closes the database. */
export function openPrivateDatabase(
  file: string,
  prepare: (database: Database.Database) => void,
): Database.Database {
  makePrivateFolder(dirname(file));
  const database = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    // Who read it meanwhile would keep what is forgotten in the write-ahead log.
    database.pragma('locking_mode = EXCLUSIVE');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('secure_delete = ON');
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
