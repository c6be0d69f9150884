/** The ledger's rows of queries that a person's command sends past us in cleartext. */
import type { Database, Statement } from 'better-sqlite3';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import { columns } from './ledger-schema.ts';

export interface ExplicitQuery {
  network: string;
  networkLabel: string;
  reason: string;
  who: string;
  since: number;
  until: number;
}

interface Rows {
  database: Database;
  /** The row that a statement returns, once it is on disk. */
  committed(statement: Statement, ...values: unknown[]): unknown;
  opened(entry: unknown): void;
  ended(entry: unknown): void;
}

export function explicitRows({ database, committed, opened, ended }: Rows) {
  const insert = database.prepare(
    `INSERT INTO entries (class, network, networkLabel, "group", rule, reason, who, since, until, count)
     VALUES ('explicit', @network, @networkLabel, '', '', @reason, @who, @since, @until, NULL)
     RETURNING ${columns}`,
  );
  const end = database.prepare(
    `UPDATE entries SET count = @count, closed = @closed, until = @until
     WHERE id = @id AND class = 'explicit' AND closed IS NULL RETURNING ${columns}`,
  );
  return {
    open(query: ExplicitQuery): LedgerEntry {
      const entry = committed(insert, query) as LedgerEntry;
      opened(entry);
      return entry;
    },
    close(id: number, count: number | null, until: number): void {
      const closed = count === null ? ledgerEndings.interrupted : ledgerEndings.asked;
      ended(committed(end, { id, count, closed, until }));
    },
  };
}
