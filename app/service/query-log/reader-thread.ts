/** The service's end of the reader worker. */
import { Worker } from 'node:worker_threads';
import type { FromReader, JobKind, JobProgress, ReaderJobs, ToReader } from './log-messages.ts';

const mostWaiting = 64;

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

export class ReaderThread {
  readonly #file: string;
  readonly #onFileAtFault: () => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastJob = 0;

  constructor(file: string, onFileAtFault: () => void) {
    this.#file = file;
    this.#onFileAtFault = onFileAtFault;
  }

  run<Kind extends JobKind>(
    work: Kind,
    request: ReaderJobs[Kind]['request'],
    onProgress: (progress: JobProgress) => void = () => {},
  ): RunningJob<ReaderJobs[Kind]['answer']> {
    if (this.#waiting.size >= mostWaiting) {
      const answer = Promise.reject(new Error('too many questions to the history at once'));
      return { answer, cancel: () => {} };
    }
    this.#worker ??= this.#start();
    const job = ++this.#lastJob;
    this.#send({ kind: 'job', job, work, request });
    const answer = new Promise<ReaderJobs[Kind]['answer']>((resolve, reject) =>
      this.#waiting.set(job, { resolve, reject, onProgress }),
    );
    return { answer, cancel: () => this.#cancel(job) };
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #cancel(job: number): void {
    const waiting = this.#waiting.get(job);
    if (waiting === undefined) return;
    this.#waiting.delete(job);
    this.#send({ kind: 'cancel', job });
    waiting.reject(new Cancelled('cancelled'));
  }

  #send(message: ToReader): void {
    this.#worker?.postMessage(message);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reader-worker.ts', import.meta.url), {
      execArgv: [],
      workerData: { file: this.#file },
    });
    worker.on('message', (message: FromReader) => this.#receive(message));
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = null;
      for (const { reject } of this.#waiting.values()) reject(new Error('its reader ended'));
      this.#waiting.clear();
    });
    return worker;
  }

  /** Of a job that was cancelled, something may still be under way. */
  #receive(message: FromReader): void {
    const waiting = this.#waiting.get(message.job);
    if ('progress' in message) {
      waiting?.onProgress(message.progress);
      return;
    }
    this.#waiting.delete(message.job);
    if ('answer' in message) {
      waiting?.resolve(message.answer as never);
      return;
    }
    if (message.fileAtFault) this.#onFileAtFault();
    waiting?.reject(new Error(message.error));
  }
}
