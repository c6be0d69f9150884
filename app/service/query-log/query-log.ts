/** The query log as the service sees it: it takes batches without ever waiting, and answers questions about them. */
import type { Failure } from '../../contract/errors.ts';
import type { HealthIssue } from '../../contract/health-issue.ts';
import type { QueryEvent } from '../../contract/query-event.ts';
import type { QuestionTally } from '../../contract/service-stats.ts';
import { decodeBatch } from './event-record.ts';
import { logHealth } from './log-health.ts';
import type { QueryFilter, QueryLogSettings, QueryLogStatus } from './log-messages.ts';
import { globPattern } from './name-glob.ts';
import { presentEvent } from './present-event.ts';
import { ReaderThread } from './reader-thread.ts';
import { WriterThread } from './writer-thread.ts';

export interface QueryLog {
  /** Event records from the engine. Never waits, never throws; what can't be taken is counted as lost. */
  accept(batch: Buffer): void;
  /** Newest first. Rejects with `QueryLogError`. */
  query(filter: QueryFilter): Promise<QueryEvent[]>;
  /** Live, after the privacy mode has been applied. Returns the end of it. */
  follow(listener: (events: QueryEvent[]) => void): () => void;
  configure(settings: QueryLogSettings): void;
  status(): QueryLogStatus;
  /** One record, whole: for whoever asked the question. Its id is the engine's, not the log's. */
  decode(record: Buffer): QueryEvent;
  /** Costs and times of all events that came; null while nobody counts. */
  tally(): Promise<QuestionTally | null>;
  /** Erases everything. Rejects with `QueryLogError`. */
  clear(): Promise<void>;
  /** Stores what has been accepted, then lets go of the file. */
  close(): Promise<void>;
}

export interface QueryLogOptions {
  file: string;
  settings: QueryLogSettings;
  onHealth: (issue: HealthIssue | null) => void;
}

/** An expected failure; `failure` is what the person is told. */
export class QueryLogError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Resolves when the file is open or has been found impossible to open: the log then tries again by itself. */
export async function openQueryLog(options: QueryLogOptions): Promise<QueryLog> {
  const { file, settings } = options;
  const listeners = new Set<(events: QueryEvent[]) => void>();
  const showHealth = logHealth(options.onHealth);
  const reader = new ReaderThread(file, () => writer.send({ kind: 'check-file' }));
  const writer = new WriterThread(file, settings, {
    onStatus: showHealth,
    onLive: (events) => {
      for (const listener of listeners) listener(events);
    },
  });
  await writer.ready;

  return {
    accept: (batch) => writer.accept(batch),
    query: async (filter) => {
      if (filter.name !== undefined && globPattern(filter.name) === null) {
        throw new QueryLogError({
          code: 'params-invalid',
          message: 'the name pattern is too long or has too many stars',
          remedy: 'Use at most 8 stars.',
          subject: 'name',
        });
      }
      return unavailable(reader.query(filter), 'The history could not be read');
    },
    follow: (listener) => {
      listeners.add(listener);
      writer.follow(true);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) writer.follow(false);
      };
    },
    configure: (next) => writer.configure(next),
    status: () => writer.status(),
    tally: () => writer.tally(),
    decode: (octets) => {
      const [event] = decodeBatch(octets).records;
      if (event === undefined) throw new RangeError('not an event record');
      return presentEvent(event);
    },
    clear: () => unavailable(writer.clear(), 'The history could not be erased'),
    close: async () => {
      await writer.close();
      await reader.close();
    },
  };
}

async function unavailable<Value>(work: Promise<Value>, what: string): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw new QueryLogError({
      code: 'log-unavailable',
      message: `${what}: ${error instanceof Error ? error.message : String(error)}.`,
      remedy: 'See "sotto status" for what is wrong with the history. DNS is not affected.',
      subject: null,
    });
  }
}
