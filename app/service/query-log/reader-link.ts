/** The service's end of the reader: a process that starts when a client searches, and ends after a minute without a request. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FromReader, JobKind, JobProgress, ReaderJobs, ToReader } from './log-messages.ts';
import type { ExportRequest } from './search/export-piece.ts';

const mostWaiting = 64;
const idleMs = 60_000;

/** It lives only while clients search, so it may have V8's compilers; one thread beside it is enough. */
const flags = ['--v8-pool-size=1', '--max-semi-space-size=4', '--disable-sigusr1'];

/** What a job that was cancelled rejects with. */
export class Cancelled extends Error {}

export interface RunningJob<Answer> {
  answer: Promise<Answer>;
  cancel(): void;
}

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  onProgress: (progress: JobProgress) => void;
}

export class ReaderLink {
  readonly #file: string;
  readonly #onFileAtFault: () => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #pouring = new Set<number>();
  readonly #idleMs: number;
  #process: ChildProcess | null = null;
  #idle: NodeJS.Timeout | undefined;
  #lastJob = 0;

  /** It is ended after `endAfterMs` without a job. */
  constructor(file: string, onFileAtFault: () => void, endAfterMs = idleMs) {
    this.#file = file;
    this.#onFileAtFault = onFileAtFault;
    this.#idleMs = endAfterMs;
  }

  /** Whether one more job may begin. */
  hasRoom(): boolean {
    return this.#waiting.size + this.#pouring.size < mostWaiting;
  }

  run<Kind extends JobKind>(
    work: Kind,
    request: ReaderJobs[Kind]['request'],
    onProgress: (progress: JobProgress) => void = () => {},
  ): RunningJob<ReaderJobs[Kind]['answer']> {
    if (!this.hasRoom()) {
      const answer = Promise.reject(new Error('too many searches of the query log at once'));
      return { answer, cancel: () => {} };
    }
    const job = ++this.#lastJob;
    const answer = new Promise<ReaderJobs[Kind]['answer']>((resolve, reject) =>
      this.#waiting.set(job, { resolve, reject, onProgress }),
    );
    this.#send({ kind: 'job', job, work, request });
    return { answer, cancel: () => this.#cancel(job) };
  }

  /** The connection belongs to the reader from then on. */
  pour(request: ExportRequest, connection: Socket): void {
    const job = ++this.#lastJob;
    this.#pouring.add(job);
    this.#send({ kind: 'pour', job, request }, connection);
  }

  /** Ends running jobs, too. */
  async close(): Promise<void> {
    const ending = this.#process;
    if (ending === null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGKILL');
    await ended;
  }

  #cancel(job: number): void {
    const waiting = this.#waiting.get(job);
    if (waiting === undefined) return;
    this.#waiting.delete(job);
    this.#send({ kind: 'cancel', job });
    waiting.reject(new Cancelled('cancelled'));
    this.#restWhenIdle();
  }

  #send(message: ToReader, connection?: Socket): void {
    clearTimeout(this.#idle);
    this.#process ??= this.#start();
    // Where the message can't be sent, the end of the process reports it.
    this.#process.send(message, connection, {}, (error) => error && connection?.destroy());
  }

  #start(): ChildProcess {
    const program = fileURLToPath(new URL('./reader-process.ts', import.meta.url));
    const child = fork(program, [this.#file], {
      execArgv: flags,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (message) => this.#receive(message as FromReader));
    child.on('error', () => {});
    child.once('exit', () => this.#ended(child));
    return child;
  }

  #ended(child: ChildProcess): void {
    if (this.#process !== child) return;
    this.#process = null;
    this.#pouring.clear();
    for (const { reject } of this.#waiting.values()) reject(new Error('its reader ended'));
    this.#waiting.clear();
  }

  /** Messages of a cancelled job may still arrive. */
  #receive(message: FromReader): void {
    const waiting = this.#waiting.get(message.job);
    if ('progress' in message) {
      waiting?.onProgress(message.progress);
      return;
    }
    this.#waiting.delete(message.job);
    this.#pouring.delete(message.job);
    if ('answer' in message) waiting?.resolve(message.answer as never);
    if ('error' in message) {
      if (message.fileAtFault) this.#onFileAtFault();
      waiting?.reject(new Error(message.error));
    }
    this.#restWhenIdle();
  }

  #restWhenIdle(): void {
    if (this.#waiting.size + this.#pouring.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#process?.disconnect();
      this.#process = null;
    }, this.#idleMs);
    this.#idle.unref();
  }
}
