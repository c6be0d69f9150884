/** A small database written anew, so that nothing of what was erased is left in its files. */
import type { Database } from 'better-sqlite3';

/**
 * `secure_delete` overwrites what is erased where it stands; copies stay where a page was once divided or joined, and in the
 * write-ahead log. The database is locked for us alone: whoever read it at this moment would keep the log as it is. What the file
 * system does with the blocks that are free then is its own affair.
 */
export function rewrite(database: Database): void {
  database.exec('VACUUM');
  const [{ busy }] = database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
  if (busy !== 0) throw new Error(`${database.name} is read by somebody although it is locked`);
}
