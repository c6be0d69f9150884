/**
 * The downgrade ledger: every permission to send in cleartext, on disk before its first packet leaves, with the number of
 * packets. Its file is locked while the service runs, so that two services can never share one.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type Database from 'better-sqlite3';
import type { ClearClass } from '../../contract/engine-words.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import { openPrivateDatabase } from '../base/private-database.ts';
import { rewrite } from '../base/rewritten-database.ts';
import { type ExplicitQuery, explicitRows } from './explicit-rows.ts';
import { columns, prepareTable } from './ledger-schema.ts';
import type { Permission } from './permissions.ts';
import type { ServiceDown } from './service-down-journal.ts';

export interface Ledger {
  /** Committed and synced when it returns, like all methods below; throws when the disk refuses. */
  open(permission: Permission): LedgerEntry;
  /** All in one write, or none. */
  openAll(permissions: readonly Permission[]): LedgerEntry[];
  /** An entry without a lease, whose packets cannot be counted. */
  openUncounted(what: Uncounted): LedgerEntry;
  extend(id: number, until: number | null): void;
  /** Counts never fall. */
  setCount(id: number, count: number): void;
  /** `until`: when it ended; now, where it is absent. */
  close(id: number, why: string, until?: number): void;
  /** A period that is added twice is there once: `since` tells periods apart. */
  add(periods: readonly DownPeriod[]): void;
  /** Entries of class explicit, which have no lease. `count` null: unknown. */
  explicit: {
    open(query: ExplicitQuery): LedgerEntry;
    close(id: number, count: number | null, until: number): void;
  };
  /** The rules of a list, a line for each; null: there is no entry of such a list. */
  rulesIn(list: string): string | null;
  /** The entries that are open and last, oldest first. */
  standing(): LedgerEntry[];
  /** The ones among them that are leases of the engine. */
  leased(): LedgerEntry[];
  /** Newest first. */
  list(filter: LedgerFilter): LedgerEntry[];
  /** When the last entry older than this one ended; not before the ledger began. */
  completeSince(id: number): number;
  /** Forgets where its entries were made; open entries follow when they are closed. */
  forgetNetwork(network: string): void;
  /** The function returned ends the subscription. */
  follow(listener: (changed: LedgerEntry) => void): () => void;
  release(): void;
}

/** `who` gave DNS back; absent: the guardian. */
export type DownPeriod = ServiceDown & { who?: string };

export type Uncounted = Pick<
  LedgerEntry,
  'class' | 'network' | 'networkLabel' | 'reason' | 'who' | 'since'
>;

export interface LedgerFilter {
  limit: number;
  class?: ClearClass | undefined;
  /** only older ones */
  beforeId?: number | undefined;
}

/**
 * `lastCounts`, by entry: what the engine had counted when the service before this one ended, however it ended. It is called
 * once no other process can count any more.
 */
export function openLedger(
  file: string,
  now: () => number,
  lastCounts: () => ReadonlyMap<number, number> = () => new Map(),
): Ledger {
  const database = openPrivateDatabase(file, (opened) => {
    prepareTable(opened, now());
    lock(opened);
    closeInterrupted(opened, now(), lastCounts());
  });
  const listeners = new Set<(changed: LedgerEntry) => void>();

  const insert = database.prepare(
    `INSERT INTO entries (class, network, networkLabel, "group", rule, reason, who, since, until)
     VALUES (@class, @network, @networkLabel, @group, @rule, @reason, @who, @since, @until)
     RETURNING ${columns}`,
  );
  const insertUncounted = database.prepare(
    `INSERT INTO entries (class, network, networkLabel, "group", rule, reason, who, since, count)
     VALUES (@class, @network, @networkLabel, '', '', @reason, @who, @since, NULL)
     RETURNING ${columns}`,
  );
  const extend = database.prepare(
    `UPDATE entries SET until = ? WHERE id = ? AND closed IS NULL RETURNING ${columns}`,
  );
  const count = database.prepare(`${raiseCount} RETURNING ${columns}`);
  const close = database.prepare(
    `UPDATE entries SET closed = ?, until = ? WHERE id = ? AND closed IS NULL RETURNING ${columns}`,
  );
  const standing = database.prepare(
    `SELECT ${columns} FROM entries WHERE closed IS NULL AND class <> 'explicit' ORDER BY id`,
  );
  const leased = database.prepare(
    `SELECT ${columns} FROM entries WHERE closed IS NULL AND class NOT IN ('contested', 'explicit') ORDER BY id`,
  );
  const newest = database.prepare(
    `SELECT ${columns} FROM entries WHERE id < @before AND (@class IS NULL OR class = @class) ORDER BY id DESC LIMIT @limit`,
  );
  const complete = database.prepare(
    `SELECT max(begun.at, coalesce((SELECT max(max(since, until)) FROM entries WHERE id < ? AND closed IS NOT NULL), 0)) AS since FROM begun`,
  );
  const sameDown = database.prepare(
    `SELECT id FROM entries WHERE class = 'service-down' AND since = ?`,
  );
  const putDown = database.prepare(
    `INSERT INTO entries (id, class, network, networkLabel, "group", rule, reason, who, since, until, count, closed)
     VALUES (@id, 'service-down', '', '', '', '', @reason, @who, @since, @until, @count, @closed)
     ON CONFLICT (id) DO UPDATE SET until = excluded.until, count = excluded.count, closed = excluded.closed
     RETURNING ${columns}`,
  );

  const findList = database.prepare('SELECT rules FROM lists WHERE word = ?').pluck();
  const putList = database.prepare('INSERT INTO lists (word, rules) VALUES (?, ?)');

  function insertWithList(permission: Permission, since: number): LedgerEntry {
    const { rule, rules } = permission;
    if (rules !== undefined && findList.get(rule) === undefined)
      putList.run(rule, deflateRawSync(rules, { level: 1 }));
    return insert.get({ ...permission, since }) as LedgerEntry;
  }

  const blank = database.prepare(
    `UPDATE entries SET network = '', networkLabel = '',
       rule = CASE class WHEN 'portal' THEN '' ELSE rule END,
       reason = CASE class WHEN 'portal' THEN 'login page' ELSE reason END,
       who = CASE WHEN who LIKE '${setForNetwork}%' THEN '${setForNetwork} that is forgotten' ELSE who END
     WHERE network = ? AND closed IS NOT NULL RETURNING ${columns}`,
  );
  const forgotten = new Set<string>();

  function forget(network: string): void {
    forgotten.add(network);
    const changed = blank.all(network);
    rewrite(database);
    changed.forEach(tell);
  }

  function tell(changed: unknown): void {
    if (changed === undefined) return;
    for (const listener of listeners) listener(changed as LedgerEntry);
  }

  function ended(closed: unknown): void {
    tell(closed);
    const network = (closed as LedgerEntry | undefined)?.network;
    if (network !== undefined && forgotten.has(network)) forget(network);
  }

  return {
    open(permission) {
      const entry = committed(insert, { ...permission, since: now() }) as LedgerEntry;
      tell(entry);
      return entry;
    },
    openAll(permissions) {
      const since = now();
      const write = database.transaction(() =>
        permissions.map((permission) => insertWithList(permission, since)),
      );
      const entries = write();
      for (const entry of entries) tell(entry);
      return entries;
    },
    openUncounted(what) {
      const entry = committed(insertUncounted, what) as LedgerEntry;
      tell(entry);
      return entry;
    },
    extend: (id, until) => tell(committed(extend, until, id)),
    setCount: (id, value) => tell(committed(count, value, id, value)),
    close: (id, why, until = now()) => ended(committed(close, why, until, id)),
    add: (periods) => {
      const write = database.transaction(() =>
        periods.map((period) => {
          const id = (sameDown.get(period.since) as { id: number } | undefined)?.id ?? null;
          return putDown.get({
            who: 'the guardian',
            ...period,
            id,
            // it is over in any case, because the service runs again
            until: period.until ?? now(),
            closed: ledgerEndings['runs-again'],
          });
        }),
      );
      for (const entry of write()) tell(entry);
    },
    explicit: explicitRows({ database, committed, opened: tell, ended }),
    rulesIn(list) {
      const found = findList.get(list) as Buffer | undefined;
      return found === undefined ? null : inflateRawSync(found).toString();
    },
    standing: () => standing.all() as LedgerEntry[],
    leased: () => leased.all() as LedgerEntry[],
    list: ({ limit, class: only = null, beforeId: before = Number.MAX_SAFE_INTEGER }) =>
      newest.all({ limit, class: only, before }) as LedgerEntry[],
    completeSince: (id) => (complete.get(id) as { since: number }).since,
    forgetNetwork: (network) => {
      if (network !== '') forget(network);
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    release: () => database.close(),
  };
}

/** The origin of a policy that was remembered for a network (policy-in-force.ts). */
const setForNetwork = 'what was set for the network';

/**
 * The row that a statement returns, once it is on disk. Statement.get stops at the row, and does not report an error of the
 * commit after it.
 */
function committed(statement: Database.Statement, ...values: unknown[]): unknown {
  return statement.all(...values)[0];
}

/** Held from the first write on, until the file is closed. */
function lock(database: Database.Database): void {
  database.transaction(() => {}).exclusive();
}

const raiseCount = 'UPDATE entries SET count = ? WHERE id = ? AND count < ? AND closed IS NULL';

/** What a crash left open was in force until then; the exact time is unknown, the number of packets is known. */
function closeInterrupted(
  database: Database.Database,
  now: number,
  lastCounts: ReadonlyMap<number, number>,
): void {
  const raise = database.prepare(raiseCount);
  const close = database.prepare('UPDATE entries SET closed = ?, until = ? WHERE closed IS NULL');
  database.transaction(() => {
    for (const [id, count] of lastCounts) raise.run(count, id, count);
    close.run(ledgerEndings.interrupted, now);
  })();
}
