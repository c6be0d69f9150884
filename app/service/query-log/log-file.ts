/** The log's database file: opened for its one writer, or set aside when it can't be used. */
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { makePrivateFolder } from '../base/private-folder.ts';
import { applicationId, migrate, refuseForeign, UnusableDatabase } from './schema.ts';

export function openLogFile(file: string): Database.Database {
  makePrivateFolder(dirname(file));
  // SQLite gives the write-ahead log the mode of the database, so this covers names everywhere.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new Database(file, { timeout: 2000 });
  try {
    refuseForeign(database);
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    // Survives a kill of the process; a power cut may cost the last commits, never the database.
    database.pragma('synchronous = NORMAL');
    database.pragma('secure_delete = ON');
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether the file itself is at fault, so that another try would fail, too. */
export function isUnusable(error: unknown): boolean {
  if (error instanceof UnusableDatabase) return true;
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** Moves the database and its write-ahead log beside itself, dated, and says where it is now. */
export function setAside(file: string, now: Date): string {
  const date = now.toISOString().replaceAll(':', '-').replace('Z', '');
  let target = `${file}${asideMark}${date}`;
  for (let attempt = 2; existsSync(target); attempt += 1) {
    target = `${file}${asideMark}${date}-${attempt}`;
  }
  renameSync(file, target);
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${target}-wal`);
  rmSync(`${file}-shm`, { force: true });
  return target;
}

const asideMark = '.unusable-';

/**
 * Erases files that were set aside, since they hold queried names, too: those of ours that were last written before `before`
 * (unix milliseconds).
 */
export function eraseSetAside(file: string, before: number): void {
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(basename(file) + asideMark) || name.endsWith('-wal')) continue;
    const path = join(dirname(file), name);
    if (statSync(path).mtimeMs >= before || !isOurs(path)) continue;
    rmSync(`${path}-wal`, { force: true });
    rmSync(path);
  }
}

/** By its header, which damage further on does not change: https://www.sqlite.org/fileformat2.html */
function isOurs(path: string): boolean {
  const header = Buffer.alloc(72);
  const descriptor = openSync(path, 'r');
  readSync(descriptor, header);
  closeSync(descriptor);
  return (
    header.toString('latin1', 0, 15) === 'SQLite format 3' &&
    header.readUInt32BE(68) === applicationId
  );
}

/** Database and write-ahead log together. */
export function octetsOnDisk(file: string): number {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size(file) + size(`${file}-wal`);
}
