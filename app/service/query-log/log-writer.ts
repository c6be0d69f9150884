/** The writer's behaviour: from a batch of records to rows, through every kind of disk trouble. Runs in its worker. */

import { dirname, join } from 'node:path';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import type { Series, SeriesRequest } from '../../contract/status/series.ts';
import type { QueryTally as Tally } from '../../contract/status/service-stats.ts';
import type { EventRecord } from '../engine/boundary.ts';
import { decodeBatch } from './event-record.ts';
import { eraseSetAside, isUnusable, octetsOnDisk, setAside } from './log-file.ts';
import type { QueryLogSettings, WriterOptions, WriterStatus } from './log-messages.ts';
import { LogStore } from './log-store.ts';
import { presentEvent } from './present-event.ts';
import { applyPrivacyMode, keepsNames } from './privacy-mode.ts';
import { QueryTally } from './query-tally.ts';
import type { FailedTries } from './series/failed-tries.ts';
import { QuerySeries } from './series/query-series.ts';

const firstRetryAfter = 1_000;
const lastRetryAfter = 60_000;
const dayMs = 86_400_000;
/** A search reads for some milliseconds at a time. */
const patientTries = 3;

export interface WriterSurroundings {
  now: () => number;
  /** Runs `work` once; `milliseconds` 0 means as soon as waiting messages have been handled. */
  later: (milliseconds: number, work: () => void) => void;
  onLive: (events: QueryEvent[]) => void;
  /** For a dnstap reader, with the names that the mode keeps. */
  onTap: (events: readonly EventRecord[]) => void;
  onStatus: () => void;
}

export class LogWriter {
  readonly #file: string;
  readonly #around: WriterSurroundings;
  readonly #tally: QueryTally;
  readonly #series: QuerySeries;
  #settings: QueryLogSettings;
  #store: LogStore | null = null;
  /** Rows when the database was last open. */
  #rowsBefore = 0;
  #stopped: { reason: string; at: number } | null = null;
  #setAside: WriterStatus['setAside'] = null;
  /** The first batch that could not be written: written first when the disk works again. */
  #unwritten: EventRecord[] = [];
  #retryAfter = firstRetryAfter;
  #retryPending = false;
  #trimPending = false;
  #indexPending = false;
  #emptyPending = false;
  /** The write-ahead log could not be emptied, so often and since then. */
  #heldUp: { tries: number; since: number | null } = { tries: 0, since: null };
  #lastId: number;
  #lost = 0;
  #closed = false;
  following = false;
  tapped = false;

  constructor(options: WriterOptions, around: WriterSurroundings) {
    this.#file = options.file;
    this.#settings = options.settings;
    this.#lastId = options.lastId;
    this.#around = around;
    this.#tally = new QueryTally(around.now());
    this.#series = new QuerySeries(join(dirname(options.file), 'series.sqlite'), around.now);
    if (this.#attempt(() => {})) this.trim();
  }

  get lastId(): number {
    return this.#lastId;
  }

  get status(): WriterStatus {
    const off = this.#settings.mode === 'off';
    return {
      state: off ? 'off' : this.#stopped ? 'stopped' : 'writing',
      reason: off ? null : (this.#stopped?.reason ?? null),
      stoppedAt: off ? null : (this.#stopped?.at ?? null),
      rows: this.#store?.rows ?? this.#rowsBefore,
      octets: octetsOnDisk(this.#file),
      lost: this.#lost,
      setAside: this.#setAside,
      heldUpSince: this.#heldUp.tries < patientTries ? null : this.#heldUp.since,
    };
  }

  /** Counts all events, however few the mode keeps. */
  tally(): Tally {
    return this.#tally.snapshot();
  }

  /** The same over time. */
  series(request: SeriesRequest): Series {
    return this.#series.read(request);
  }

  /** Connections and queries that failed: nothing is counted while the log is off. */
  addFailed(failed: FailedTries): void {
    if (this.#settings.mode !== 'off') this.#series.addFailed(failed);
  }

  /** To be called every minute. */
  tick(): void {
    this.#series.keep();
    this.trim();
  }

  accept(batch: Uint8Array): void {
    const { records, malformed } = decodeBatch(batch);
    if (malformed) this.#lost += 1;
    for (const event of records) {
      this.#tally.add(event);
      this.#series.add(event);
    }
    const events = records.map((event) => this.#asKept(event));
    if (this.following && events.length > 0) this.#around.onLive(events.map(presentEvent));
    if (this.tapped && keepsNames(this.#settings.mode) && events.length > 0)
      this.#around.onTap(events);
    if (this.#settings.mode !== 'off' && events.length > 0) this.#keep(events);
  }

  #keep(events: EventRecord[]): void {
    if (this.#stopped && this.#unwritten.length > 0) this.#lost += events.length;
    else if (this.#stopped || !this.#attempt((store) => this.#write(store, events))) {
      this.#unwritten = events;
    } else {
      if (this.#store?.overCap()) this.trim();
      this.#index();
    }
  }

  configure(settings: QueryLogSettings): void {
    this.#settings = settings;
    if (!settings.programs) this.#tally.forgetPrograms();
    const keep = (event: EventRecord) => applyPrivacyMode(event, settings.mode);
    this.#unwritten = settings.mode === 'off' ? [] : this.#unwritten.map(keep);
    if (this.#stopped) this.#retry();
    else this.#attempt((store) => store.limit(settings));
    this.trim();
  }

  /** Begins to erase what is too old or too much, a step at a time between batches. */
  trim(): void {
    if (this.#trimPending) return;
    this.#trimPending = true;
    this.#around.later(0, () => {
      this.#trimPending = false;
      if (this.#stopped || this.#closed) return;
      let more = false;
      this.#attempt((store) => {
        more = store.trimStep(this.#around.now());
        const tooOld = this.#around.now() - this.#settings.keepDays * dayMs;
        if (!more) eraseSetAside(this.#file, tooOld);
      });
      if (more) return this.trim();
      this.#emptyJournal();
      this.#around.onStatus();
      this.#index();
    });
  }

  /** Tries until no process reads the erased octets any more; a long delay is reported. */
  #emptyJournal(): void {
    if (this.#stopped || this.#closed) return;
    let empty = false;
    this.#attempt((store) => {
      empty = store.emptyJournal();
    });
    if (empty) {
      this.#heldUp = { tries: 0, since: null };
      return;
    }
    const { tries, since } = this.#heldUp;
    this.#heldUp = { tries: tries + 1, since: since ?? this.#around.now() };
    if (this.#emptyPending) return;
    this.#emptyPending = true;
    this.#around.later(Math.min(firstRetryAfter * 2 ** tries, lastRetryAfter), () => {
      this.#emptyPending = false;
      this.#emptyJournal();
      this.#around.onStatus();
    });
  }

  /** Prepares what searches need of new rows, a step at a time between batches. */
  #index(): void {
    if (this.#indexPending) return;
    this.#indexPending = true;
    this.#around.later(0, () => {
      this.#indexPending = false;
      if (this.#stopped || this.#closed) return;
      let more = false;
      this.#attempt((store) => {
        more = store.indexStep(this.#around.now());
      });
      if (more) this.#index();
    });
  }

  /** Null when done, else why not. */
  clear(): string | null {
    this.#unwritten = [];
    this.#tally.forgetPrograms();
    if (this.#stopped) this.#retry();
    this.#attempt((store) => {
      store.clear();
      eraseSetAside(this.#file, Number.POSITIVE_INFINITY);
    });
    this.#emptyJournal();
    const trouble = this.#series.clear();
    return this.#stopped?.reason ?? trouble;
  }

  /** A reader found the file damaged. The file may have been replaced since. */
  checkFile(): void {
    if (!this.#stopped) this.#attempt((store) => store.verify());
  }

  close(): void {
    if (this.#stopped) this.#retry();
    this.#closed = true;
    this.#series.close();
    this.#closeStore();
  }

  #asKept(event: EventRecord): EventRecord {
    this.#lastId += 1;
    return applyPrivacyMode({ ...event, id: this.#lastId }, this.#settings.mode);
  }

  #write(store: LogStore, events: readonly EventRecord[]): void {
    if (this.#settings.mode === 'counts') store.count(events);
    else store.append(events);
  }

  /** Opens the database where needed. False when the disk did not allow the work; the log is stopped then. */
  #attempt(work: (store: LogStore) => void): boolean {
    try {
      this.#run(work);
      return true;
    } catch (error) {
      this.#closeStore();
      this.#stop(error);
      return false;
    }
  }

  /** On this file, or on a fresh one when this one turns out to be unusable. */
  #run(work: (store: LogStore) => void): void {
    try {
      this.#store ??= this.#open();
      work(this.#store);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      this.#closeStore();
      this.#setFileAside(sentence(error));
      this.#store = this.#open();
      work(this.#store);
    }
  }

  #open(): LogStore {
    const store = new LogStore(this.#file);
    store.limit(this.#settings);
    this.#lastId = Math.max(this.#lastId, store.lastId);
    return store;
  }

  #closeStore(): void {
    this.#rowsBefore = this.#store?.rows ?? this.#rowsBefore;
    this.#store?.close();
    this.#store = null;
  }

  #setFileAside(reason: string): void {
    const at = this.#around.now();
    this.#setAside = { file: setAside(this.#file, new Date(at)), reason, at };
  }

  #stop(error: unknown): void {
    this.#stopped = { reason: sentence(error), at: this.#stopped?.at ?? this.#around.now() };
    this.#around.onStatus();
    if (this.#retryPending || this.#closed) return;
    this.#retryPending = true;
    this.#around.later(this.#retryAfter, () => {
      this.#retryPending = false;
      if (this.#stopped && !this.#closed) this.#retry();
    });
    this.#retryAfter = Math.min(this.#retryAfter * 2, lastRetryAfter);
  }

  /** An empty transaction succeeds on a full disk, so a trial row is written besides the batch that failed. */
  #retry(): void {
    const works = this.#attempt((store) => {
      store.proveWritable();
      this.#write(store, this.#unwritten);
    });
    if (!works) return;
    this.#unwritten = [];
    this.#stopped = null;
    this.#retryAfter = firstRetryAfter;
    this.#around.onStatus();
    this.trim();
  }
}

function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string'
    ? `${error.message} (${error.code})`
    : error.message;
}
