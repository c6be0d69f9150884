/**
 * The rows that fit the filter: those in the query log, page by page, and live ones. New rows wait while a person reads, so
 * that none moves under the pointer; they are counted meanwhile.
 */
import type { Failure } from '../../../app/contract/errors.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import type { Connection } from '../../bridge/connection.ts';
import type { Session } from '../../state/session.ts';
import { createStore, type Readable } from '../../state/store.ts';

export interface Rows {
  /** newest first */
  events: readonly QueryEvent[];
  /** came since, and are not shown yet; newest first */
  waiting: readonly QueryEvent[];
  /** came too fast to be sent here; they are in the query log */
  leftOut: number;
  /** rows that fit, of all in the query log, by the last count; null before that */
  total: { rows: number; of: number } | null;
  /** of a running search, or of the first count; null while there is none */
  progress: { scanned: number; of: number; found: number } | null;
  /** there are older ones */
  hasMore: boolean;
  loading: boolean;
  failure: Failure | null;
  live: boolean;
}

export interface QueryLog {
  rows: Readable<Rows>;
  /** Starts a filter that can be read; the search before it is cancelled. */
  search(filter: string): void;
  /** The filter can't be read, so the rows of the one before are removed. */
  rest(): void;
  /** The query log has changed, so count again. */
  recount(): void;
  /** Loads the next page, if there is one and none is being loaded. */
  more(): void;
  /** Whether new rows appear at once, or wait. */
  setLive(live: boolean): void;
  close(): void;
}

const pageSize = 200;
/** A few dozen rows are drawn; a live list must not grow without end. */
const mostLive = 5000;
/** Between two counts of a long query log the pause is this many times as long as one count. */
const restAfterCount = 9;

const none: Rows = {
  events: [],
  waiting: [],
  leftOut: 0,
  total: null,
  progress: null,
  hasMore: false,
  loading: true,
  failure: null,
  live: true,
};

export function followQueryLog(session: Session): QueryLog {
  const rows = createStore<Rows>(none);
  let wanted: string | null = null;
  let current: Search | null = null;

  function begin(): void {
    current?.end();
    current = null;
    const state = session.state.get();
    if (wanted === null || state.is !== 'connected') return;
    // rows found before stay in sight until there are others
    const { events, live } = rows.get();
    rows.set({ ...none, events, live });
    current = new Search(state.connection, wanted, rows, begin);
  }

  let followed: Connection | null = null;
  const unsubscribe = session.state.subscribe(() => {
    const state = session.state.get();
    const connection = state.is === 'connected' ? state.connection : null;
    if (connection === null || connection === followed) return;
    followed = connection;
    begin();
  });

  return {
    rows,
    search(filter) {
      const state = session.state.get();
      followed = state.is === 'connected' ? state.connection : null;
      wanted = filter;
      begin();
    },
    rest() {
      wanted = null;
      current?.end();
      current = null;
      rows.set({ ...none, live: rows.get().live, loading: false });
    },
    more: () => current?.more(),
    recount: () => void current?.count(),
    setLive(live) {
      const before = rows.get();
      if (before.live === live) return;
      rows.set(live ? withArrivals({ ...before, live }, []) : { ...before, live });
    },
    close() {
      unsubscribe();
      current?.end();
      current = null;
    },
  };
}

let lastProgress = 0;

/** A number by which the page tells the progress of one call from that of others. */
export function nextProgress(): number {
  lastProgress += 1;
  return lastProgress;
}

/** One filter on one connection, until another is wanted. */
class Search {
  readonly #connection: Connection;
  readonly #filter: string;
  readonly #rows: ReturnType<typeof createStore<Rows>>;
  readonly #stop: (() => void)[] = [];
  #subscription: number | null = null;
  /** came before the first page; null once that is there */
  #early: readonly QueryEvent[] | null = [];
  #next: number | null = null;
  #busy = false;
  #counting = false;
  #countAgain = false;
  /** a row that fits was read from the query log or counted in it */
  #wasKept = false;
  #ended = false;
  readonly #onErased: () => void;

  /** `onErased`: rows that are shown are no longer in the query log. */
  constructor(
    connection: Connection,
    filter: string,
    rows: ReturnType<typeof createStore<Rows>>,
    onErased: () => void,
  ) {
    this.#connection = connection;
    this.#filter = filter;
    this.#rows = rows;
    this.#onErased = onErased;
    void this.#begin();
  }

  more(): void {
    if (!this.#busy && this.#next !== null) void this.#page(this.#next);
  }

  end(): void {
    this.#ended = true;
    for (const stop of this.#stop) stop();
    if (this.#subscription === null) return;
    void this.#connection.call('log.unfollow', { subscription: this.#subscription });
  }

  /** Following starts before the past is read, so that no query is missed. */
  async #begin(): Promise<void> {
    this.#stop.push(
      this.#connection.on('log.events', ({ subscription, events, leftOut }) => {
        if (subscription !== this.#subscription) return;
        const newestFirst = [...events].sort((one, other) => other.id - one.id);
        if (this.#early !== null) {
          this.#early = [...newestFirst, ...this.#early];
          return;
        }
        const before = this.#rows.get();
        const known = before.waiting[0]?.id ?? before.events[0]?.id ?? 0;
        const news = newestFirst.filter(({ id }) => id > known);
        this.#rows.set(withArrivals({ ...before, leftOut: before.leftOut + leftOut }, news));
      }),
    );
    const followed = await this.#connection.call('log.follow', { filter: this.#filter });
    if (this.#ended) {
      if (followed.ok) void this.#connection.call('log.unfollow', followed.value);
      return;
    }
    if (!followed.ok) return this.#failed(followed.failure);
    this.#subscription = followed.value.subscription;
    await this.#page(null);
    await this.count();
  }

  async #page(before: number | null): Promise<void> {
    this.#busy = true;
    this.#rows.set({ ...this.#rows.get(), loading: true, failure: null });
    const page = await this.#telling((progress) =>
      this.#connection.call('log.search', {
        filter: this.#filter,
        limit: pageSize,
        progress,
        ...(before === null ? {} : { before }),
      }),
    );
    this.#busy = false;
    if (this.#ended) return;
    if (!page.ok) return this.#failed(page.failure);
    this.#next = page.value.next;
    this.#wasKept ||= page.value.events.length > 0;
    const now = this.#rows.get();
    const newer = this.#early ?? now.events;
    this.#early = null;
    const oldest = newer.at(-1)?.id ?? Number.POSITIVE_INFINITY;
    const older = page.value.events.filter(({ id }) => id < oldest);
    this.#rows.set({
      ...now,
      events: [...newer, ...older],
      progress: null,
      hasMore: page.value.next !== null,
      loading: false,
    });
  }

  /** Runs once there is a page, and again after a pause where it was requested meanwhile. */
  async count(): Promise<void> {
    this.#countAgain = true;
    if (this.#counting || this.#early !== null) return;
    this.#counting = true;
    while (this.#countAgain && !this.#ended) {
      this.#countAgain = false;
      const began = performance.now();
      await this.#countOnce();
      await pause(restAfterCount * (performance.now() - began));
    }
    this.#counting = false;
  }

  async #countOnce(): Promise<void> {
    const params = { filter: this.#filter };
    const isFirst = this.#rows.get().total === null;
    const counted = isFirst
      ? await this.#telling((progress) =>
          this.#connection.call('log.count', { ...params, progress }),
        )
      : await this.#connection.call('log.count', params);
    if (this.#ended) return;
    if (!counted.ok) return this.#failed(counted.failure);
    const now = this.#rows.get();
    this.#rows.set({ ...now, total: counted.value, ...(isFirst && { progress: null }) });
    if (counted.value.rows > 0) this.#wasKept = true;
    else if (this.#wasKept) this.#onErased();
  }

  /** Shows the progress of a call among the rows. */
  async #telling<Answer>(call: (progress: number) => Promise<Answer>): Promise<Answer> {
    const progress = nextProgress();
    const stop = this.#connection.on('log.progress', ({ progress: mine, scanned, of, found }) => {
      if (mine === progress && !this.#ended)
        this.#rows.set({ ...this.#rows.get(), progress: { scanned, of, found } });
    });
    const answer = await call(progress);
    stop();
    return answer;
  }

  /** Rows of another filter must not stay. */
  #failed(failure: Failure): void {
    if (failure.code === 'superseded') return;
    const { live } = this.#rows.get();
    this.#rows.set({ ...none, live, loading: false, failure });
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** `news`: newest first, all of them new. */
export function withArrivals(rows: Rows, news: readonly QueryEvent[]): Rows {
  const arrived = [...news, ...rows.waiting];
  if (!rows.live) return { ...rows, waiting: arrived.slice(0, mostLive) };
  const events = [...arrived, ...rows.events];
  const kept = events.slice(0, Math.max(mostLive, rows.events.length));
  return { ...rows, events: kept, waiting: [], leftOut: rows.leftOut };
}
