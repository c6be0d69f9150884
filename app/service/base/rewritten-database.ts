/** A small database written anew, so that nothing of what was erased is left in its files. */
import type { Database } from 'better-sqlite3';

/**
 * `secure_delete` overwrites what is erased where it stands; copies stay where a page was once divided or joined, and in the
 * write-ahead log. Whoever reads the file at this moment keeps the log as it is until the next time. What the file system does
 * with the blocks that are free then is its own affair.
 */
export function rewrite(database: Database): void {
  database.exec('VACUUM');
  database.pragma('wal_checkpoint(TRUNCATE)');
}
