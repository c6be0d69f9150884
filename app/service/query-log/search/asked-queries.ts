/** What was asked, alike queries together, the newest first: for the engine, which decides about them again. */
import type { Database } from 'better-sqlite3';
import { typeMnemonic } from '../../../contract/dns/dns-mnemonics.ts';
import { attributions } from '../../../contract/engine-words.ts';
import type { SupposedQuery } from '../../engine/boundary.ts';

export interface AskedRequest {
  /** only rows older than this one */
  before?: number | undefined;
  limit: number;
  /** it matters who asked */
  withAskers: boolean;
  now: number;
}

/** Who asked, where that is known: the account's name or number, and the unit. */
export interface LoggedAsker {
  user: string;
  unit: string;
}

export interface AskedPage {
  /** null: nobody knows */
  askers: (LoggedAsker | null)[];
  /** `SupposedQuery[]` as text, because nobody reads it before the engine does */
  queries: string;
  rows: number;
  /** rows without a name, or of another class than IN */
  leftOut: number;
  /** of the oldest row, unix milliseconds; null: there is no row */
  since: number | null;
  /** give it as `before` for the next page; null: there is nothing older */
  next: number | null;
}

type Row = [
  name: string,
  type: number,
  kind: number,
  user: string,
  unit: string,
  known: number,
  count: number,
  at: number,
];

const idsAtOnce = 8_192;
const classIn = 1;
/** Over UDP it only seems so. The next query of the same program is led by who it is. */
const named = [attributions.indexOf('known'), attributions.indexOf('seems')];
const notLookedUp = attributions.indexOf('not-looked-up');

export function* askedQueries(
  database: Database,
  { before = Number.MAX_SAFE_INTEGER, limit, withAskers }: AskedRequest,
): Generator<undefined, AskedPage> {
  const extent = database.prepare(
    'SELECT (SELECT min(id) FROM events), (SELECT max(id) FROM events WHERE id < ?)',
  );
  const [first, last] = extent.raw().get(before) as [number | null, number | null];
  const read = database.prepare(grouped(withAskers)).raw();
  const gathered = new Gathered();
  let end = (last ?? -1) + 1;
  while (first !== null && end > first && gathered.rows < limit) {
    // A stretch has no more rows than ids, so no page gets too long.
    const start = Math.max(first, end - Math.min(idsAtOnce, limit - gathered.rows));
    for (const row of read.all(start, end) as Row[]) gathered.add(row);
    end = start;
    yield;
  }
  return gathered.page(first !== null && end > first ? end : null);
}

class Gathered {
  rows = 0;
  #leftOut = 0;
  #oldest: number | null = null;
  readonly #queries: SupposedQuery[] = [];
  readonly #askers = new Askers();

  add([name, type, ofClass, user, unit, attribution, count, at]: Row): void {
    this.rows += count;
    this.#oldest = Math.min(at, this.#oldest ?? at);
    if (name === '' || ofClass !== classIn) {
      this.#leftOut += count;
      return;
    }
    const asker = named.includes(attribution) ? { user, unit } : null;
    this.#queries.push([name, typeMnemonic(type), this.#askers.position(asker), count]);
  }

  page(next: number | null): AskedPage {
    return {
      askers: this.#askers.all,
      queries: JSON.stringify(this.#queries),
      rows: this.rows,
      leftOut: this.#leftOut,
      since: this.#oldest === null ? null : this.#oldest / 1000,
      next,
    };
  }
}

/** The plus keeps SQLite from walking through the index of names, which leads all over the query log. */
function grouped(withAskers: boolean): string {
  const asker = withAskers ? 'user, unit, attribution' : `'', '', ${notLookedUp}`;
  return `SELECT names.name, type, class, ${asker}, count(*), min(at)
    FROM events JOIN names ON names.id = events.name_id
    WHERE events.id >= ? AND events.id < ?
    GROUP BY +name_id, type, class${withAskers ? ', user, unit, attribution' : ''}`;
}

class Askers {
  readonly all: (LoggedAsker | null)[] = [];
  readonly #positions = new Map<string, number>();

  position(asker: LoggedAsker | null): number {
    const key = asker === null ? '' : JSON.stringify([asker.user, asker.unit]);
    const position = this.#positions.get(key);
    if (position !== undefined) return position;
    this.#positions.set(key, this.all.length);
    return this.all.push(asker) - 1;
  }
}
