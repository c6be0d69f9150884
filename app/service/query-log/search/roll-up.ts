/**
 * Counts of what a stretch of 16,384 consecutive ids holds: by facet, and by registrable domain, program and client. Lists of
 * what occurs most are added up from these. A roll-up is written a block at a time, once the stretch is full; it is erased
 * as soon as a row of the stretch is, and never written again.
 */
import type { Database, Statement } from 'better-sqlite3';
import { type TopKind, topKinds } from '../../../contract/query-log/log-api.ts';
import { blockSize } from './block-summary.ts';
import { type Alike, addAlike, type Counts, groupedByFacet, noCounts } from './facet-counts.ts';
import { addValues, groupedByValue, type Values } from './value-counts.ts';

export const rollUpSize = 16 * blockSize;

/** Rarer values of a stretch are counted together. */
export const mostValues = 256;

/** As it is written: each value, followed by its count. */
export interface WrittenValues {
  counts: (string | number)[];
  others: number;
}

interface Begun {
  id: number;
  /** the id of the next row to be counted */
  next: number;
  since: number;
  until: number;
  facets: Counts;
  values: Record<TopKind, Values>;
}

const inRange = 'WHERE events.id >= @from AND events.id < @below';

export function rollUpOf(eventId: number): number {
  return Math.floor(eventId / rollUpSize);
}

export class RollUps {
  readonly #nextEvent: Statement;
  readonly #times: Statement;
  readonly #facets: Statement;
  readonly #values: Record<TopKind, Statement>;
  readonly #insert: Statement;
  #begun: Begun | null = null;

  constructor(database: Database) {
    this.#nextEvent = database
      .prepare(
        `SELECT min(id) FROM events
         WHERE id >= (SELECT ifnull(max(id) + 1, 0) * ${rollUpSize} FROM roll_ups)`,
      )
      .pluck();
    this.#times = database
      .prepare(`SELECT min(at) AS since, max(at) AS until FROM events ${inRange}`)
      .raw();
    this.#facets = database.prepare(groupedByFacet(inRange)).raw();
    const values = (by: TopKind) => database.prepare(groupedByValue(by, inRange)).raw();
    this.#values = {
      domain: values('domain'),
      program: values('program'),
      client: values('client'),
    };
    this.#insert = database.prepare(
      `INSERT INTO roll_ups (id, since, until, facets, client, program, domain)
       VALUES (@id, @since, @until, @facets, @client, @program, @domain)`,
    );
  }

  /** Counts one block of the earliest full stretch that has no roll-up; false when there is none. Runs inside a transaction. */
  step(lastId: number): boolean {
    const begun = this.#begun ?? this.#begin(lastId);
    this.#begun = null;
    if (begun === null) return false;
    this.#countBlock(begun);
    if (begun.next < (begun.id + 1) * rollUpSize) this.#begun = begun;
    else this.#write(begun);
    return true;
  }

  /** What was counted already may be erased. */
  forget(): void {
    this.#begun = null;
  }

  #begin(lastId: number): Begun | null {
    const first = this.#nextEvent.get() as number | null;
    if (first === null) return null;
    const id = rollUpOf(first);
    if ((id + 1) * rollUpSize > lastId + 1) return null;
    return {
      id,
      next: id * rollUpSize,
      since: Number.MAX_SAFE_INTEGER,
      until: 0,
      facets: noCounts(),
      values: { domain: new Map(), program: new Map(), client: new Map() },
    };
  }

  #countBlock(begun: Begun): void {
    const range = { from: begun.next, below: begun.next + blockSize };
    const [since, until] = this.#times.get(range) as [number | null, number | null];
    begun.since = Math.min(begun.since, since ?? Number.MAX_SAFE_INTEGER);
    begun.until = Math.max(begun.until, until ?? 0);
    for (const alike of this.#facets.all(range) as Alike[]) addAlike(begun.facets, alike);
    for (const by of topKinds)
      addValues(begun.values[by], by, this.#values[by].all(range) as [string, number][]);
    begun.next = range.below;
  }

  #write({ id, since, until, facets, values }: Begun): void {
    this.#insert.run({
      id,
      since,
      until,
      facets: JSON.stringify(facets),
      client: JSON.stringify(written(values.client)),
      program: JSON.stringify(written(values.program)),
      domain: JSON.stringify(written(values.domain)),
    });
  }
}

function written(values: Values): WrittenValues {
  const sorted = [...values].sort(([, a], [, b]) => b - a);
  return {
    counts: sorted.slice(0, mostValues).flat(),
    others: sorted.slice(mostValues).reduce((sum, [, count]) => sum + count, 0),
  };
}
