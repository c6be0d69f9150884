/** Counts events by the minute as they pass, keeps them, and draws them together. The writer of the query log has one. */
import { renameSync, rmSync } from 'node:fs';
import { queryClasses } from '../../../contract/query-log/query-class.ts';
import type { Series, SeriesRequest } from '../../../contract/status/series.ts';
import { messageOf } from '../../base/errno-words.ts';
import type { EventRecord } from '../../engine/boundary.ts';
import { isUnusable } from '../log-file.ts';
import { countOf, timeWithin } from './coarse-times.ts';
import type { FailedTries } from './failed-tries.ts';
import { addEvent, addFailures, addFigures, type Figures, noFigures } from './figures.ts';
import { SeriesStore } from './series-store.ts';

const minuteMs = 60_000;
/** Minutes that wait in memory while the disk takes none; then the oldest are lost. */
const mostWaiting = 60;
const hour = 60;
/** Longer ranges are made of whole hours: a week of minutes would keep the writer from writing for seconds. */
const longestOfMinutes = 25 * hour;
/** Minutes of one interval. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];

export class QuerySeries {
  readonly #file: string;
  readonly #now: () => number;
  #store: SeriesStore | null = null;
  /** not written yet, by minute */
  readonly #waiting = new Map<number, Figures>();
  #written = 0;
  #trouble: string | null = null;

  constructor(file: string, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  add(event: EventRecord): void {
    addEvent(this.#figuresOf(Math.floor(event.at / 1000 / minuteMs)), event);
  }

  /** What failed since the last call, by upstream: counted in this minute. */
  addFailed(failed: FailedTries): void {
    if (failed.length === 0) return;
    const figures = this.#figuresOf(this.#minute());
    for (const [upstream, count] of failed) addFailures(figures, upstream, count);
  }

  /** To be called now and then: writes at most once a minute, and nothing where nothing was asked. */
  keep(): void {
    const minute = this.#minute();
    if (this.#waiting.size === 0 || minute === this.#written) return;
    this.#written = minute;
    this.#write();
  }

  read({ since, until, points }: SeriesRequest): Series {
    const [from, to] = [Math.floor(since / minuteMs), Math.ceil(until / minuteMs)];
    const step = stepOf(to - from, points);
    const first = from - (from % step);
    const intervals = Array.from(
      { length: Math.max(1, Math.ceil((to - first) / step)) },
      noFigures,
    );
    const add = (found: ReadonlyMap<number, Figures>) => {
      for (const [start, figures] of found) {
        const interval = intervals[Math.floor((start - first) / step)];
        if (start >= first && interval !== undefined) addFigures(interval, figures);
      }
    };
    const end = first + intervals.length * step;
    add(this.#attempt((store) => store.read(first, end, step)) ?? new Map());
    add(this.#waiting);
    return {
      since: first * minuteMs,
      step: step * minuteMs,
      keptSince: this.#keptSince(),
      ...drawn(intervals),
    };
  }

  /** Null when done, else why not. */
  clear(): string | null {
    this.#waiting.clear();
    this.#attempt((store) => store.clear());
    return erasePutAside(this.#file) ?? this.#trouble;
  }

  close(): void {
    if (this.#waiting.size > 0) this.#write();
    this.#store?.close();
    this.#store = null;
  }

  #figuresOf(minute: number): Figures {
    const known = this.#waiting.get(minute);
    if (known !== undefined) return known;
    // a clock that was set may pass an hour before the next turn
    if (this.#waiting.size === mostWaiting) this.#write();
    const figures = noFigures();
    this.#waiting.set(minute, figures);
    const oldest = Math.min(...this.#waiting.keys());
    if (this.#waiting.size > mostWaiting) this.#waiting.delete(oldest);
    return figures;
  }

  #write(): void {
    const written = this.#attempt((store) => {
      store.add(this.#waiting, this.#minute());
      return true;
    });
    if (written === true) this.#waiting.clear();
  }

  #keptSince(): number | null {
    const stored = this.#attempt((store) => store.first());
    const starts = [...this.#waiting.keys(), ...(stored == null ? [] : [stored])];
    return starts.length === 0 ? null : Math.min(...starts) * minuteMs;
  }

  #minute(): number {
    return Math.floor(this.#now() / minuteMs);
  }

  /** Undefined where the disk does not allow it now; the next time tries again. A file that is no database is set aside. */
  #attempt<Done>(work: (store: SeriesStore) => Done): Done | undefined {
    try {
      this.#store ??= new SeriesStore(this.#file);
      const done = work(this.#store);
      this.#trouble = null;
      return done;
    } catch (error) {
      this.#trouble = messageOf(error);
      this.#store?.close();
      this.#store = null;
      if (isUnusable(error)) putAside(this.#file);
      return undefined;
    }
  }
}

/** Minutes of one interval, so that there are about as many as were asked for, or fewer. */
function stepOf(minutes: number, points: number): number {
  const least = minutes > longestOfMinutes ? hour : 1;
  const fits = (step: number) => step >= least && minutes / step <= points;
  return steps.find(fits) ?? Math.ceil(minutes / points / hour) * hour;
}

const asideOf = (file: string) => `${file}.damaged`;

/** One at most: it has figures only. */
function putAside(file: string): void {
  try {
    renameSync(file, asideOf(file));
    for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true });
  } catch {
    // It stays, and the next time tries again.
  }
}

/** Null when done, else why not. */
function erasePutAside(file: string): string | null {
  try {
    rmSync(asideOf(file), { force: true });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function drawn(intervals: readonly Figures[]): Pick<Series, 'outcomes' | 'upstreams'> {
  const outcomes = Object.fromEntries(
    queryClasses.map((name, at) => [name, intervals.map(({ counts }) => counts[at] ?? 0)]),
  ) as Series['outcomes'];
  const ids = new Set(
    intervals.flatMap(({ upstreams, failed }) => [...upstreams.keys(), ...failed.keys()]),
  );
  const upstreams = [...ids].sort().map((id) => {
    const times = intervals.map(({ upstreams: found }) => found.get(id) ?? new Map());
    return {
      id,
      queries: times.map(countOf),
      failed: intervals.map(({ failed }) => failed.get(id) ?? 0),
      p50: times.map((one) => timeWithin(one, 0.5)),
      p95: times.map((one) => timeWithin(one, 0.95)),
    };
  });
  return { outcomes, upstreams };
}
