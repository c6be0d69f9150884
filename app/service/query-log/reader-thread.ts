/** The service's end of the reader worker. */
import { Worker } from 'node:worker_threads';
import type { QueryEvent } from '../../contract/query-event.ts';
import type { FromReader, QueryFilter, ToReader } from './log-messages.ts';

const mostWaiting = 64;

interface Waiting {
  resolve: (events: QueryEvent[]) => void;
  reject: (error: Error) => void;
}

export class ReaderThread {
  readonly #file: string;
  readonly #onFileAtFault: () => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastRequest = 0;

  constructor(file: string, onFileAtFault: () => void) {
    this.#file = file;
    this.#onFileAtFault = onFileAtFault;
  }

  query(filter: QueryFilter): Promise<QueryEvent[]> {
    if (this.#waiting.size >= mostWaiting) {
      return Promise.reject(new Error('too many questions to the history at once'));
    }
    this.#worker ??= this.#start();
    const request = ++this.#lastRequest;
    this.#worker.postMessage({ request, filter } satisfies ToReader);
    return new Promise((resolve, reject) => this.#waiting.set(request, { resolve, reject }));
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reader-worker.ts', import.meta.url), {
      execArgv: [],
      workerData: { file: this.#file },
    });
    worker.on('message', (answer: FromReader) => this.#settle(answer));
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = null;
      for (const { reject } of this.#waiting.values()) reject(new Error('its reader ended'));
      this.#waiting.clear();
    });
    return worker;
  }

  #settle(answer: FromReader): void {
    const waiting = this.#waiting.get(answer.request);
    this.#waiting.delete(answer.request);
    if ('events' in answer) {
      waiting?.resolve(answer.events);
      return;
    }
    if (answer.fileAtFault) this.#onFileAtFault();
    waiting?.reject(new Error(answer.error));
  }
}
