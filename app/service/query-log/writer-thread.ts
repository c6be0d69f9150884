/** The service's end of the writer worker: a bounded queue to it, and a new worker when it ends by itself. */
import { Worker } from 'node:worker_threads';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import type { Series, SeriesRequest } from '../../contract/status/series.ts';
import type { QueryTally } from '../../contract/status/service-stats.ts';
import { messageOf } from '../base/errno-words.ts';
import { RestAfterBurst } from '../base/give-back-memory.ts';
import { countRecords } from './event-record.ts';
import type {
  FromWriter,
  QueryLogSettings,
  QueryLogStatus,
  ToWriter,
  WriterOptions,
  WriterStatus,
} from './log-messages.ts';

/** Some fifty thousand events: minutes of a busy machine, and no more memory than that. */
const mostQueuedOctets = 8 * 1024 * 1024;
const restartAfter = 1_000;

interface Listeners {
  onStatus: (status: WriterStatus) => void;
  onLive: (events: QueryEvent[], leftOut: number) => void;
  onTap: (frames: Uint8Array, count: number, leftOut: number) => void;
}

export class WriterThread {
  readonly ready: Promise<void>;
  readonly #file: string;
  readonly #listeners: Listeners;
  readonly #clears = new Map<number, (error: string | null) => void>();
  readonly #tallies = new Map<number, (tally: QueryTally | null) => void>();
  readonly #series = new Map<number, (series: Series | null) => void>();
  #settings: QueryLogSettings;
  #worker: Worker | null = null;
  #restart: NodeJS.Timeout | undefined;
  #following = false;
  #tapped = false;
  #closed = false;
  #status: WriterStatus = {
    state: 'stopped',
    reason: 'it has not been opened yet',
    rows: 0,
    octets: 0,
    lost: 0,
    stoppedAt: null,
    setAside: null,
    heldUpSince: null,
  };
  #lastId = 0;
  readonly #rest = new RestAfterBurst();
  #queuedOctets = 0;
  /** Lost events that the present worker does not count: dropped here, or lost by a worker that ended. */
  #lostElsewhere = 0;
  #lastRequest = 0;

  constructor(file: string, settings: QueryLogSettings, listeners: Listeners) {
    this.#file = file;
    this.#settings = settings;
    this.#listeners = listeners;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#start(resolve);
  }

  accept(batch: Uint8Array): void {
    if (this.#worker === null || this.#queuedOctets + batch.byteLength > mostQueuedOctets) {
      this.#lostElsewhere += countRecords(batch);
      return;
    }
    this.#queuedOctets += batch.byteLength;
    this.#rest.handled(batch.byteLength);
    // A copy, because the engine's own memory can't change threads; the copy then moves without another.
    const octets = Uint8Array.from(batch);
    this.#worker.postMessage({ kind: 'batch', octets } satisfies ToWriter, [octets.buffer]);
  }

  send(message: ToWriter): void {
    this.#worker?.postMessage(message);
  }

  configure(settings: QueryLogSettings): void {
    this.#settings = settings;
    this.send({ kind: 'configure', settings });
  }

  follow(on: boolean): void {
    this.#following = on;
    this.send({ kind: 'follow', on });
  }

  tap(on: boolean): void {
    this.#tapped = on;
    this.send({ kind: 'tap', on });
  }

  status(): QueryLogStatus {
    const { state, reason, rows, octets, lost } = this.#status;
    return { state, reason, rows, octets, lost: lost + this.#lostElsewhere };
  }

  clear(): Promise<void> {
    if (this.#worker === null) return Promise.reject(new Error('its writer is not running'));
    const request = ++this.#lastRequest;
    this.send({ kind: 'clear', request });
    return new Promise((resolve, reject) => {
      this.#clears.set(request, (error) => (error === null ? resolve() : reject(new Error(error))));
    });
  }

  /** Null while no writer runs. */
  tally(): Promise<QueryTally | null> {
    if (this.#worker === null) return Promise.resolve(null);
    const request = ++this.#lastRequest;
    this.send({ kind: 'tally', request });
    return new Promise((resolve) => this.#tallies.set(request, resolve));
  }

  /** Null while no writer runs. */
  series(wanted: SeriesRequest): Promise<Series | null> {
    if (this.#worker === null) return Promise.resolve(null);
    const request = ++this.#lastRequest;
    this.send({ kind: 'series', request, wanted });
    return new Promise((resolve) => this.#series.set(request, resolve));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    this.send({ kind: 'close' });
    await ended;
  }

  #start(onReady: () => void): void {
    const workerData: WriterOptions = {
      file: this.#file,
      settings: this.#settings,
      lastId: this.#lastId,
    };
    const worker = new Worker(new URL('./writer-worker.ts', import.meta.url), {
      execArgv: [],
      workerData,
    });
    this.#worker = worker;
    let trouble = 'its writer ended';
    worker.on('error', (error) => {
      trouble = messageOf(error);
    });
    worker.on('exit', () => {
      this.#ended(trouble);
      onReady();
    });
    worker.on('message', (message: FromWriter) => {
      this.#receive(message);
      onReady();
    });
    if (this.#following) this.follow(true);
    if (this.#tapped) this.tap(true);
  }

  #receive(message: FromWriter): void {
    switch (message.kind) {
      case 'status':
        this.#status = message.status;
        this.#lastId = message.lastId;
        this.#queuedOctets -= message.handledOctets;
        this.#listeners.onStatus(message.status);
        return;
      case 'live':
        this.#listeners.onLive(message.events, message.leftOut);
        this.send({ kind: 'live-seen' });
        return;
      case 'tapped':
        this.#listeners.onTap(message.frames, message.count, message.leftOut);
        this.send({ kind: 'tap-seen' });
        return;
      case 'cleared':
        this.#clears.get(message.request)?.(message.error);
        this.#clears.delete(message.request);
        return;
      case 'tallied':
        this.#tallies.get(message.request)?.(message.tally);
        this.#tallies.delete(message.request);
        return;
      case 'drawn':
        this.#series.get(message.request)?.(message.series);
        this.#series.delete(message.request);
    }
  }

  #ended(trouble: string): void {
    this.#worker = null;
    this.#queuedOctets = 0;
    for (const settle of this.#clears.values()) settle(trouble);
    this.#clears.clear();
    for (const settle of this.#tallies.values()) settle(null);
    this.#tallies.clear();
    for (const settle of this.#series.values()) settle(null);
    this.#series.clear();
    if (this.#closed) return;
    this.#lostElsewhere += this.#status.lost;
    this.#status = {
      ...this.#status,
      state: 'stopped',
      reason: trouble,
      stoppedAt: Date.now(),
      lost: 0,
    };
    this.#listeners.onStatus(this.#status);
    this.#restart = setTimeout(() => this.#start(() => {}), restartAfter);
    this.#restart.unref();
  }
}
