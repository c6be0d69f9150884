/** Retention in small steps, so that the writer never stops for long: age and size, names without rows, free pages. */
import type { Database, Statement } from 'better-sqlite3';
import { blockOf } from './search/block-summary.ts';
import type { NameIndex } from './search/name-index.ts';
import { rollUpOf } from './search/roll-up.ts';

export interface LogLimits {
  keepDays: number;
  maxMegabytes: number;
}

const rowsAStep = 500;
const pagesAStep = 256;
const day = 86_400_000;

export class TrimStep {
  readonly #database: Database;
  readonly #nameIndex: NameIndex;
  readonly #eraseSummary: Statement;
  readonly #eraseRollUp: Statement;
  readonly #eraseExpired: Statement;
  readonly #eraseOldest: Statement;
  readonly #eraseOrphan: Statement;
  readonly #eraseExpiredCounters: Statement;
  readonly #eraseOldestCounters: Statement;
  #keepDays = Number.POSITIVE_INFINITY;
  #octets = Number.POSITIVE_INFINITY;

  constructor(database: Database, nameIndex: NameIndex) {
    this.#database = database;
    this.#nameIndex = nameIndex;
    this.#eraseSummary = database.prepare('DELETE FROM blocks WHERE id = ?');
    this.#eraseRollUp = database.prepare('DELETE FROM roll_ups WHERE id = ?');
    this.#eraseExpired = erasing('SELECT id FROM events WHERE at < ?');
    this.#eraseOldest = erasing('SELECT id FROM events ORDER BY id');
    this.#eraseOrphan = database.prepare(
      'DELETE FROM names WHERE id = @id AND NOT EXISTS (SELECT 1 FROM events WHERE name_id = @id)',
    );
    this.#eraseExpiredCounters = database.prepare('DELETE FROM counters WHERE minute < ?');
    this.#eraseOldestCounters = database.prepare(
      `DELETE FROM counters WHERE (minute, outcome, transport, cost) IN
         (SELECT minute, outcome, transport, cost FROM counters ORDER BY minute LIMIT ${rowsAStep})`,
    );

    function erasing(selection: string): Statement {
      return database
        .prepare(
          `DELETE FROM events WHERE id IN (${selection} LIMIT ${rowsAStep}) RETURNING id, name_id`,
        )
        .raw();
    }
  }

  limit(limits: { keepDays: number; octets: number }): void {
    this.#keepDays = limits.keepDays;
    this.#octets = limits.octets;
  }

  /** Counts what is in use, without free pages, which will go in any case. */
  overCap(): boolean {
    const pages = this.#pragma('page_count') - this.#pragma('freelist_count');
    return pages * this.#pragma('page_size') > this.#octets;
  }

  /** Runs inside the caller's transaction. */
  run(now: number): { erasedRows: number; more: boolean } {
    const oldest = now - this.#keepDays * day;
    const erased = this.#eraseExpired.all(oldest * 1000) as [id: number, nameId: number][];
    this.#eraseExpiredCounters.run(Math.floor(oldest / 60_000));
    let erasedCounters = 0;
    if (erased.length === 0 && this.overCap()) {
      erased.push(...(this.#eraseOldest.all() as [number, number][]));
      if (erased.length === 0) erasedCounters = this.#eraseOldestCounters.run().changes;
    }
    // A block that lost a row is read row by row from now on.
    for (const block of new Set(erased.map(([id]) => blockOf(id)))) this.#eraseSummary.run(block);
    for (const rollUp of new Set(erased.map(([id]) => rollUpOf(id)))) this.#eraseRollUp.run(rollUp);
    let erasedNames = 0;
    for (const id of new Set(erased.map(([, nameId]) => nameId)))
      erasedNames += this.#eraseOrphan.run({ id }).changes;
    this.#nameIndex.erased(erasedNames);
    const more = erased.length > 0 || erasedCounters > 0 || this.#pragma('freelist_count') > 0;
    return { erasedRows: erased.length, more };
  }

  returnFreePages(): void {
    this.#database.pragma(`incremental_vacuum(${pagesAStep})`);
  }

  #pragma(name: string): number {
    return this.#database.pragma(name, { simple: true }) as number;
  }
}
