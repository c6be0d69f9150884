/**
 * The trigram index over names, written a little at a time after the writer's own work. Names that it does not hold yet are
 * compared one by one. Taking one name out of it costs as much as putting a hundred in, so it is made anew instead: within an
 * hour after names were erased, and at once when half of its entries are theirs.
 */
import type { Database, Statement } from 'better-sqlite3';

const namesAStep = 500;
const anewAfterMs = 3_600_000;
/** For fewer it is not made anew before the hour is over. */
const fewErased = 5_000;

export class NameIndex {
  readonly #database: Database;
  readonly #add: Statement;
  readonly #progress: Statement;
  readonly #advance: Statement;
  #lastNameId: number;
  #names: number;
  /** Entries whose name is erased; and since when there are any, in this run of the service. */
  #erased: number;
  #erasedSince: number | null = null;

  constructor(database: Database) {
    this.#database = database;
    this.#add = database.prepare(
      `INSERT INTO name_trigrams (rowid, name)
       SELECT id, name FROM names WHERE id > @upto AND id <= @end ORDER BY id`,
    );
    this.#progress = database.prepare('SELECT upto FROM search_progress WHERE what = ?').pluck();
    this.#advance = database.prepare('UPDATE search_progress SET upto = ? WHERE what = ?');
    this.#erased = this.#read('erased');
    this.#names = database.prepare('SELECT count(*) FROM names').pluck().get() as number;
    const last = database.prepare('SELECT ifnull(max(id), 0) FROM names').pluck().get() as number;
    this.#lastNameId = Math.max(last, this.#read('names'));
  }

  /** An id is not used twice: the index may still hold the trigrams of the erased name. */
  nextId(): number {
    this.#lastNameId += 1;
    this.#names += 1;
    return this.#lastNameId;
  }

  /** Indexes some names, or begins anew; false when there is nothing to do. Runs inside a transaction. */
  indexNext(now: number): boolean {
    if (this.isDue(now)) {
      this.clear();
      return true;
    }
    const upto = this.#read('names');
    const end = upto + namesAStep;
    if (end > this.#lastNameId) return false;
    this.#add.run({ upto, end });
    this.#advance.run(end, 'names');
    return true;
  }

  /** Counts erased names. Runs inside the transaction that erased them. */
  erased(names: number): void {
    if (names === 0) return;
    this.#erased += names;
    this.#names -= names;
    this.#advance.run(this.#erased, 'erased');
  }

  /** Forgets every name. */
  clear(): void {
    this.#database.exec("INSERT INTO name_trigrams (name_trigrams) VALUES ('delete-all')");
    this.#advance.run(0, 'names');
    this.#advance.run(0, 'erased');
    this.#erased = 0;
    this.#erasedSince = null;
  }

  /** Names were erased long enough ago, or so many that the index is made anew. */
  isDue(now: number): boolean {
    if (this.#erased === 0) return false;
    this.#erasedSince ??= now;
    if (now - this.#erasedSince >= anewAfterMs) return true;
    return this.#erased >= Math.max(fewErased, this.#names);
  }

  #read(what: 'names' | 'erased'): number {
    return this.#progress.get(what) as number;
  }
}
