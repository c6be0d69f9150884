/**
 * Reads the log for its clients, several at once, none for long: each job runs for some milliseconds, then the next one. A
 * database connection lives for one job, so that no reader holds on to a moved or shrunk file.
 */
import type { Writable } from 'node:stream';
import Database from 'better-sqlite3';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import { messageOf } from '../base/errno-words.ts';
import { isUnusable } from './log-file.ts';
import type { FromReader, JobKind, JobProgress, ReaderJobs, ToReader } from './log-messages.ts';
import { logUnavailable } from './log-unavailable.ts';
import { Pouring, pieceOctets } from './pour-export.ts';
import { addFunctions } from './search/event-terms.ts';
import { type ExportRequest, exportPieces } from './search/export-piece.ts';
import type { HistogramStep } from './search/histogram.ts';
import { type JobStep, readerJobs } from './search/reader-jobs.ts';

type Answer = ReaderJobs[JobKind]['answer'];

/** A step may keep the others waiting for so long. */
const turnMs = 8;
const progressEveryMs = 100;

export interface ReaderSurroundings {
  /** milliseconds of a clock that only rises */
  now(): number;
  /** Resolves once waiting messages have been handled. */
  breathe(): Promise<void>;
  send(message: FromReader): void;
}

type Job = Extract<ToReader, { kind: 'job' | 'cancel' }>;

export class LogReader {
  readonly #file: string;
  readonly #around: ReaderSurroundings;
  readonly #running = new Set<number>();

  constructor(file: string, around: ReaderSurroundings) {
    this.#file = file;
    this.#around = around;
  }

  async receive(message: Job): Promise<void> {
    if (message.kind === 'cancel') {
      this.#running.delete(message.job);
      return;
    }
    const { job, work, request } = message;
    this.#running.add(job);
    try {
      await this.#run(job, work, request);
    } catch (error) {
      this.#around.send({ job, error: messageOf(error), fileAtFault: isUnusable(error) });
    } finally {
      this.#running.delete(job);
    }
  }

  /** Writes an export into a client's connection, and ends that. */
  async pour(job: number, request: ExportRequest, to: Writable): Promise<void> {
    const pouring = new Pouring(to);
    try {
      await this.#withFile((database) => this.#pourAll(database, request, pouring));
      this.#around.send({ job, poured: true });
    } catch (error) {
      await pouring.fail(logUnavailable('The query log could not be read', error));
      this.#around.send({ job, error: messageOf(error), fileAtFault: isUnusable(error) });
    }
  }

  async #pourAll(
    database: Database.Database,
    request: ExportRequest,
    pouring: Pouring,
  ): Promise<void> {
    const steps = exportPieces(database, request, pieceOctets);
    let end = this.#around.now() + turnMs;
    while (!pouring.ended) {
      const { done, value } = steps.next();
      if (value !== undefined) await pouring.write(value);
      if (done) return await pouring.end();
      if (this.#around.now() < end) continue;
      await this.#around.breathe();
      end = this.#around.now() + turnMs;
    }
  }

  async #run(job: number, work: JobKind, request: ReaderJobs[JobKind]['request']): Promise<void> {
    await this.#withFile(async (database) => {
      const steps: Generator<JobStep, Answer> = readerJobs[work](database, request as never);
      const progress = new Progress(this.#around);
      while (this.#running.has(job)) {
        const answer = this.#turn(steps, progress);
        if (answer !== undefined) return this.#around.send({ job, answer });
        const told = progress.due();
        if (told !== null) this.#around.send({ job, progress: told });
        await this.#around.breathe();
      }
    });
  }

  async #withFile(work: (database: Database.Database) => Promise<void>): Promise<void> {
    const database = openForReading(this.#file);
    try {
      await work(database);
    } finally {
      database.close();
    }
  }

  /** Undefined: not done yet. */
  #turn(steps: Generator<JobStep, Answer>, progress: Progress): Answer | undefined {
    const end = this.#around.now() + turnMs;
    do {
      const { done, value } = steps.next();
      if (done) return value;
      progress.note(value);
    } while (this.#around.now() < end);
    return undefined;
  }
}

/** Throws where the file can't be read. What a search puts aside stays in memory. */
export function openForReading(file: string): Database.Database {
  const database = new Database(file, { readonly: true, timeout: 2000 });
  database.pragma('temp_store = memory');
  addFunctions(database);
  return database;
}

/** Gathers the progress of a job until it is time to report it. */
class Progress {
  readonly #around: ReaderSurroundings;
  #toldAt: number;
  #last: JobStep;
  #events: QueryEvent[] = [];

  constructor(around: ReaderSurroundings) {
    this.#around = around;
    this.#toldAt = around.now();
  }

  note(step: JobStep): void {
    if (step === undefined) return;
    this.#last = step;
    if ('events' in step) this.#events.push(...(step.events ?? []));
  }

  due(): JobProgress | null {
    const now = this.#around.now();
    if (this.#last === undefined || now - this.#toldAt < progressEveryMs) return null;
    this.#toldAt = now;
    const { scanned, of, found } = this.#last;
    const events = this.#events;
    this.#events = [];
    if (isHistogram(this.#last)) return { scanned, of, found, counts: this.#last.counts() };
    if ('facets' in this.#last) return { scanned, of, found, facets: this.#last.facets };
    return { scanned, of, found, events };
  }
}

function isHistogram(step: Exclude<JobStep, undefined>): step is HistogramStep {
  return 'counts' in step;
}
