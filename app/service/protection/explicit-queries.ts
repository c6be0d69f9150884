/**
 * Queries that a person's command sends past us in cleartext (`sotto query --at udp://…`): each stands in the ledger before it
 * leaves. Nothing of ours carries it, so the command tells the count; one that ends without a word leaves it unknown.
 */
import type { Database, Statement } from 'better-sqlite3';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { LedgerEntry } from '../../contract/ledger-entry.ts';
import { ledgerEndings } from '../../contract/ledger-words.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import { sayErrno } from '../settings/certificate-file.ts';
import type { Ledger } from './ledger.ts';
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

/** The ledger's rows of this class. */
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

interface Parts {
  ledger: Pick<Ledger, 'explicit'>;
  network: Pick<CurrentNetwork, 'stay' | 'label'>;
  whoIs(session: ServiceSession): string;
  now(): number;
}

/** One at a time of each connection, which ends it with itself. */
export function createExplicitHandlers({
  ledger,
  network,
  whoIs,
  now,
}: Parts): Pick<ServiceHandlers, 'ledger.begin' | 'ledger.end'> {
  const open = new Map<ServiceSession, number>();

  function close(session: ServiceSession, count: number | null): Result<Record<string, never>> {
    const id = open.get(session);
    if (id === undefined) return succeed({});
    return recorded(() => {
      ledger.explicit.close(id, count, now());
      open.delete(session);
      return {};
    });
  }

  return {
    'ledger.begin': ({ transport, address, timeoutMs }, session) => {
      const closed = close(session, null);
      if (!closed.ok) return closed;
      return recorded(() => {
        const { id } = ledger.explicit.open({
          network: network.stay().partition,
          networkLabel: network.label(),
          reason: `a command asked ${transport}://${address} directly`,
          who: whoIs(session),
          since: now(),
          until: now() + timeoutMs,
        });
        session.onClose(() => close(session, null));
        open.set(session, id);
        return { entry: id };
      });
    },
    'ledger.end': ({ packets }, session) => close(session, packets),
  };
}

function recorded<Value>(write: () => Value): Result<Value> {
  try {
    return succeed(write());
  } catch (error) {
    return fail(
      'state-unwritable',
      `the ledger can't be written: ${sayErrno(error)}`,
      'free space on the disk and check who owns the state folder',
    );
  }
}
