/** The operations of the one writer on the database: append, count, trim, clear. Every call is one short transaction. */

import type { Database, Statement } from 'better-sqlite3';
import type { EventRecord } from '../engine/boundary.ts';
import { insertEvent } from './event-columns.ts';
import { openLogFile } from './log-file.ts';
import { UnusableDatabase } from './schema.ts';
import { BlockSummaries } from './search/block-summary.ts';
import { NameIndex } from './search/name-index.ts';
import { RollUps } from './search/roll-up.ts';
import { type LogLimits, TrimStep } from './trim-step.ts';

const rememberedNames = 8192;
const megabyte = 1_000_000;

export class LogStore {
  readonly #database: Database;
  readonly #insertEvent: Statement;
  readonly #insertName: Statement;
  readonly #findName: Statement;
  readonly #addCount: Statement;
  readonly #trim: TrimStep;
  readonly #blocks: BlockSummaries;
  readonly #rollUps: RollUps;
  readonly #nameIndex: NameIndex;
  readonly #nameIds = new Map<string, number>();
  rows: number;

  constructor(file: string) {
    this.#database = openLogFile(file);
    this.#insertEvent = this.#database.prepare(insertEvent);
    this.#insertName = this.#database.prepare('INSERT INTO names (id, name) VALUES (?, ?)');
    this.#findName = this.#database.prepare('SELECT id FROM names WHERE name = ?').pluck();
    this.#addCount = this.#database.prepare(
      `INSERT INTO counters (minute, outcome, transport, cost, count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    );
    this.#nameIndex = new NameIndex(this.#database);
    this.#blocks = new BlockSummaries(this.#database);
    this.#rollUps = new RollUps(this.#database);
    this.#trim = new TrimStep(this.#database, this.#nameIndex);
    this.rows = this.#database.prepare('SELECT count(*) FROM events').pluck().get() as number;
  }

  /** 0 when there are no rows. */
  get lastId(): number {
    return this.#database.prepare('SELECT ifnull(max(id), 0) FROM events').pluck().get() as number;
  }

  append(events: readonly EventRecord[]): void {
    this.#atomically(() => {
      for (const event of events) this.#insertEvent.run(this.#nameId(event.name), event);
    });
    this.rows += events.length;
  }

  /** Keeps only the minute, outcome, transport and cost: no names and no addresses. */
  count(events: readonly EventRecord[]): void {
    const counts = new Map<string, number>();
    for (const { at, outcome, transport, cost } of events) {
      const key = [Math.floor(at / 60_000_000), outcome, transport, cost].join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    this.#atomically(() => {
      for (const [key, count] of counts) this.#addCount.run(...key.split(',').map(Number), count);
    });
  }

  /** Does a small part of the work for searches; false when nothing is left to do. `now` in unix milliseconds. */
  indexStep(now: number): boolean {
    const last = this.lastId;
    if (this.#nameIndex.isDue(now)) this.#writeAnew();
    return this.#atomically(
      () =>
        this.#blocks.summariseNext(last) ||
        this.#rollUps.step(last) ||
        this.#nameIndex.indexNext(now),
    );
  }

  /** A quarter of the cap, and no more than 1 MB, belongs to the write-ahead log. */
  limit(limits: LogLimits): void {
    const journal = Math.min(limits.maxMegabytes / 4, 1) * megabyte;
    this.#database.pragma(`wal_autocheckpoint = ${Math.floor(journal / 4096)}`);
    this.#database.pragma(`journal_size_limit = ${journal}`);
    this.#trim.limit({
      keepDays: limits.keepDays,
      octets: limits.maxMegabytes * megabyte - journal,
    });
  }

  overCap(): boolean {
    return this.#trim.overCap();
  }

  /** Erases a small part of what is too old or too much; false when nothing is left to do. `now` in unix milliseconds. */
  trimStep(now: number): boolean {
    const { erasedRows, more } = this.#atomically(() => this.#trim.run(now));
    if (erasedRows > 0) {
      this.#nameIds.clear();
      this.#rollUps.forget();
    }
    this.rows -= erasedRows;
    this.#trim.returnFreePages();
    return more;
  }

  clear(): void {
    this.#atomically(() => {
      this.#database.exec(
        'DELETE FROM events; DELETE FROM names; DELETE FROM counters; DELETE FROM blocks; DELETE FROM roll_ups',
      );
      this.#nameIndex.clear();
    });
    this.#rollUps.forget();
    this.#nameIds.clear();
    this.rows = 0;
    this.#database.pragma('incremental_vacuum');
  }

  /** Throws when the disk takes nothing more; leaves no trace. */
  proveWritable(): void {
    const trial = '\\000 trial';
    this.#atomically(() => {
      this.#insertName.run(this.#nameIndex.nextId(), trial);
      this.#database.prepare('DELETE FROM names WHERE name = ?').run(trial);
    });
  }

  /** Reads the whole file, which takes a while: only where there is a reason to doubt it. */
  verify(): void {
    // Drops what SQLite remembers of the file, which may differ from the disk.
    this.#database.pragma('shrink_memory');
    const verdict = this.#database.pragma('quick_check(1)', { simple: true });
    if (verdict !== 'ok') throw new UnusableDatabase(String(verdict));
  }

  close(): void {
    this.#database.close();
  }

  /**
   * `secure_delete` overwrites a name where it stands. Where a page was once divided or joined, a copy can stay in the gap, so
   * the remaining names and roll-ups move to pages of their own. Foreign keys are off meanwhile: they point to ids, which stay.
   */
  #writeAnew(): void {
    this.#database.pragma('foreign_keys = OFF');
    try {
      this.#atomically(() =>
        this.#database.exec(`
          CREATE TABLE names_anew (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
          INSERT INTO names_anew SELECT id, name FROM names ORDER BY id;
          DROP TABLE names;
          ALTER TABLE names_anew RENAME TO names;
          CREATE TABLE roll_ups_anew (
            id INTEGER PRIMARY KEY, since INTEGER NOT NULL, until INTEGER NOT NULL, facets TEXT NOT NULL,
            client TEXT NOT NULL, program TEXT NOT NULL, domain TEXT NOT NULL
          ) STRICT;
          INSERT INTO roll_ups_anew SELECT id, since, until, facets, client, program, domain FROM roll_ups ORDER BY id;
          DROP TABLE roll_ups;
          ALTER TABLE roll_ups_anew RENAME TO roll_ups;
        `),
      );
    } finally {
      this.#database.pragma('foreign_keys = ON');
    }
  }

  #nameId(name: string): number {
    const known = this.#nameIds.get(name) ?? (this.#findName.get(name) as number | undefined);
    const id = known ?? this.#insertNewName(name);
    if (this.#nameIds.size >= rememberedNames) this.#nameIds.clear();
    this.#nameIds.set(name, id);
    return id;
  }

  #insertNewName(name: string): number {
    const id = this.#nameIndex.nextId();
    this.#insertName.run(id, name);
    return id;
  }

  /** After a rollback the remembered ids may name rows that were never written. */
  #atomically<Result>(work: () => Result): Result {
    try {
      return this.#database.transaction(work).immediate();
    } catch (error) {
      this.#nameIds.clear();
      throw error;
    }
  }

  /** Empties the write-ahead log, where erased names still are. False: another process reads it; this does not wait. */
  emptyJournal(): boolean {
    this.#database.pragma('busy_timeout = 0');
    const [{ busy }] = this.#database.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
    this.#database.pragma('busy_timeout = 2000');
    return busy === 0;
  }
}
