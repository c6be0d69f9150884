/**
 * Figures by the minute and by the hour, for a week, in a database of their own that can't grow beyond its bound. Everything here is
 * in minutes since 1970.
 */
import type Database from 'better-sqlite3';
import { openPrivateDatabase } from '../../base/private-database.ts';
import { readNumbers, readTimes, writeNumbers, writeTimes } from './coarse-times.ts';
import { addFailures, addFigures, addUpstream, type Figures, noFigures } from './figures.ts';

export const weekMinutes = 7 * 24 * 60;
const hour = 60;
const mostOctets = 10_000_000;
const pageOctets = 4096;
/** so that the index is used */
const anySpan = `span IN (1, ${hour})`;
/** The counts stand where an upstream's number would; below zero stand the failures of the upstream with that number. */
const counts = 0;

interface Row {
  start: number;
  upstream: number;
  octets: Uint8Array;
}

export class SeriesStore {
  readonly #database: Database.Database;
  readonly #read: Database.Statement<[number, number, number], Row>;
  readonly #readOne: Database.Statement<[number, number, number], { octets: Uint8Array }>;
  readonly #write: Database.Statement<[number, number, number, Uint8Array]>;

  constructor(file: string) {
    this.#database = openPrivateDatabase(file, prepare);
    this.#read = this.#database.prepare(
      'SELECT start, upstream, octets FROM figures WHERE span = ? AND start >= ? AND start < ?',
    );
    this.#readOne = this.#database.prepare(
      'SELECT octets FROM figures WHERE span = ? AND start = ? AND upstream = ?',
    );
    this.#write = this.#database.prepare(
      'INSERT OR REPLACE INTO figures (span, start, upstream, octets) VALUES (?, ?, ?, ?)',
    );
  }

  /** Adds to what is there, all of it or nothing. */
  add(minutes: ReadonlyMap<number, Figures>, now: number): void {
    this.#database.transaction(() => {
      this.#erase(now);
      const hours = new Map<number, Figures>();
      for (const [minute, figures] of minutes) {
        this.#addTo(1, minute, figures);
        const start = minute - (minute % hour);
        const sum = hours.get(start) ?? noFigures();
        hours.set(start, sum);
        addFigures(sum, figures);
      }
      for (const [start, figures] of hours) this.#addTo(hour, start, figures);
    })();
  }

  /** By where each stretch begins: minutes, or hours where `step` is a number of hours. */
  read(from: number, to: number, step: number): Map<number, Figures> {
    const upstreams = this.#upstreams();
    const found = new Map<number, Figures>();
    for (const { start, upstream, octets } of this.#read.iterate(spanOf(step), from, to)) {
      const figures = found.get(start) ?? noFigures();
      found.set(start, figures);
      if (upstream === counts) addFigures(figures, { ...noFigures(), counts: readNumbers(octets) });
      else if (upstream < counts)
        addFailures(figures, upstreams.get(-upstream) ?? '', readNumbers(octets)[0] ?? 0);
      else addUpstream(figures, upstreams.get(upstream) ?? '', readTimes(octets));
    }
    return found;
  }

  /** null: nothing is kept */
  first(): number | null {
    const row = this.#database
      .prepare('SELECT min(start) AS first FROM figures WHERE span = 1')
      .get();
    return (row as { first: number | null }).first;
  }

  clear(): void {
    this.#database.exec('DELETE FROM figures; DELETE FROM upstreams');
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#database.close();
  }

  /** What is older than a week, or from a time when the clock was ahead. */
  #erase(now: number): void {
    const oldest = now - weekMinutes - hour;
    this.#database.prepare(`DELETE FROM figures WHERE ${anySpan} AND start < ?`).run(oldest);
    if (this.#agreesWithEarlier(now))
      this.#database.prepare(`DELETE FROM figures WHERE ${anySpan} AND start > ?`).run(now + hour);
    const { pages } = this.#database
      .prepare('SELECT page_count AS pages FROM pragma_page_count')
      .get() as { pages: number };
    const { free } = this.#database
      .prepare('SELECT freelist_count AS free FROM pragma_freelist_count')
      .get() as { free: number };
    // with room for an hour's rows, so that no insert finds it full
    if ((pages - free) * pageOctets < 0.95 * mostOctets) return;
    const first = this.first();
    if (first !== null)
      this.#database
        .prepare(`DELETE FROM figures WHERE ${anySpan} AND start < ?`)
        .run(first + 24 * hour);
  }

  /** A clock that is behind, as on a machine without one at its start, has no days before it. */
  #agreesWithEarlier(now: number): boolean {
    const first = this.first();
    return first !== null && first <= now - 24 * hour;
  }

  #addTo(span: number, start: number, { counts: added, upstreams, failed }: Figures): void {
    const before = this.#readOne.get(span, start, counts);
    const known = before === undefined ? [] : readNumbers(before.octets);
    this.#write.run(
      span,
      start,
      counts,
      writeNumbers(added.map((one, at) => one + (known[at] ?? 0))),
    );
    for (const [name, times] of upstreams) {
      const number = this.#numberOf(name);
      const there = this.#readOne.get(span, start, number);
      const sum = noFigures();
      addUpstream(sum, name, times);
      if (there !== undefined) addUpstream(sum, name, readTimes(there.octets));
      this.#write.run(span, start, number, writeTimes(sum.upstreams.get(name) ?? new Map()));
    }
    for (const [name, count] of failed) {
      const place = -this.#numberOf(name);
      const there = this.#readOne.get(span, start, place);
      const before = there === undefined ? 0 : (readNumbers(there.octets)[0] ?? 0);
      this.#write.run(span, start, place, writeNumbers([before + count]));
    }
  }

  #numberOf(name: string): number {
    this.#database.prepare('INSERT OR IGNORE INTO upstreams (name) VALUES (?)').run(name);
    const row = this.#database.prepare('SELECT id FROM upstreams WHERE name = ?').get(name);
    return (row as { id: number }).id;
  }

  #upstreams(): Map<number, string> {
    const rows = this.#database.prepare('SELECT id, name FROM upstreams').all();
    return new Map((rows as { id: number; name: string }[]).map(({ id, name }) => [id, name]));
  }
}

function spanOf(step: number): number {
  return step % hour === 0 ? hour : 1;
}

function prepare(database: Database.Database): void {
  database.pragma(`max_page_count = ${Math.floor(mostOctets / pageOctets)}`);
  database.exec(`
    CREATE TABLE IF NOT EXISTS upstreams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS figures (
      span INTEGER NOT NULL,
      start INTEGER NOT NULL,
      upstream INTEGER NOT NULL,
      octets BLOB NOT NULL,
      PRIMARY KEY (span, start, upstream)
    ) WITHOUT ROWID;
  `);
}
