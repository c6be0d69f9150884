/** The query log as the service sees it: it takes batches without ever waiting, and answers searches. */
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Failure } from '../../contract/errors.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import type { HealthIssue } from '../../contract/status/health-issue.ts';
import type { Series, SeriesRequest } from '../../contract/status/series.ts';
import type { QueryTally } from '../../contract/status/service-stats.ts';
import { decodeBatch } from './event-record.ts';
import { logHealth } from './log-health.ts';
import type {
  JobKind,
  JobProgress,
  QueryLogSettings,
  QueryLogStatus,
  ReaderJobs,
} from './log-messages.ts';
import { logUnavailable } from './log-unavailable.ts';
import { presentEvent } from './present-event.ts';
import { Cancelled, ReaderLink } from './reader-link.ts';
import type { ExportRequest } from './search/export-piece.ts';
import { countFailedTries, type FailureCount } from './series/failed-tries.ts';
import { WriterThread } from './writer-thread.ts';

const minuteMs = 60_000;
/** So long a reader waits for what is still on its way: in a flood of queries, or on a disk that stands still, it sees what is there. */
const longestWaitMs = 1_000;

/** After the privacy mode has been applied; `leftOut` came too fast to be shown. */
export type LiveListener = (events: QueryEvent[], leftOut: number) => void;

/** Rejects with `QueryLogError`. */
export interface Reading<Answer> {
  answer: Promise<Answer>;
  cancel(): void;
}

/** `count` queries as frames of dnstap, the privacy mode applied; `leftOut` came too fast to be handed over. */
export type TapListener = (frames: Uint8Array, count: number, leftOut: number) => void;

export interface QueryLog {
  /** Event records from the engine. Never waits, never throws; what can't be taken is counted as lost. */
  accept(batch: Buffer): void;
  /** Reads what is stored, beside the writer, with all queries answered by now; durations in filters count back from now. */
  read<Kind extends JobKind>(
    work: Kind,
    request: Omit<ReaderJobs[Kind]['request'], 'now'>,
    onProgress?: (progress: JobProgress) => void,
  ): Reading<ReaderJobs[Kind]['answer']>;
  /**
   * Writes an export into the connection of a client, which belongs to the log from then on. Null: too many are being written.
   */
  pour(request: Omit<ExportRequest, 'now'>): Promise<((connection: Socket) => void) | null>;
  /** The function returned ends the subscription. */
  follow(listener: LiveListener): () => void;
  /** For one listener at a time; nothing comes where the mode keeps no names. The function returned ends it. */
  tap(listener: TapListener): () => void;
  configure(settings: QueryLogSettings): void;
  status(): QueryLogStatus;
  /** One whole record, for the client that sent the query. Its id is the engine's, not the log's. */
  decode(record: Buffer): QueryEvent;
  /** Costs and times of all events that came; null while no writer runs. */
  tally(): Promise<QueryTally | null>;
  /** From now on reads every minute, and before each series, how often each upstream failed so far, and waits for its events. */
  learnFrom(engine: EventSource): void;
  /** What became of queries over time; null while no writer runs. */
  series(wanted: SeriesRequest): Promise<Series | null>;
  /** Erases everything. Rejects with `QueryLogError`. */
  clear(): Promise<void>;
  /** Stores what has been accepted, then lets go of the file. */
  close(): Promise<void>;
}

export interface EventSource {
  status(): { upstreams: readonly FailureCount[] };
  /** Resolves when the events of all queries that have been answered were handed to `accept`. */
  handOver(): Promise<void>;
}

export interface QueryLogOptions {
  file: string;
  settings: QueryLogSettings;
  onHealth: (issue: HealthIssue | null) => void;
}

/** An expected failure; `failure` is what the person reads. */
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
  const listeners = new Set<LiveListener>();
  const showHealth = logHealth(options.onHealth);
  const reader = new ReaderLink(file, () => writer.send({ kind: 'check-file' }));
  const writer = new WriterThread(file, settings, {
    onTap: (frames, count, leftOut) => tapping?.(frames, count, leftOut),
    onStatus: showHealth,
    onLive: (events, leftOut) => {
      for (const listener of listeners) listener(events, leftOut);
    },
  });
  let tapping: TapListener | null = null;
  await writer.ready;
  const failedSince = countFailedTries();
  let engine: EventSource = { status: () => ({ upstreams: [] }), handOver: async () => {} };
  const noteFailures = () => {
    const failed = failedSince(engine.status().upstreams);
    if (failed.length > 0) writer.send({ kind: 'failed', failed });
  };
  const noting = setInterval(noteFailures, minuteMs).unref();
  // the writer replies when it has written what it got before
  const written = async () => {
    await engine.handOver();
    await writer.tally();
  };
  const settled = () =>
    Promise.race([written(), setTimeout(longestWaitMs, undefined, { ref: false })]);

  return {
    accept: (batch) => writer.accept(batch),
    read(work, request, onProgress) {
      const cancelled = Promise.withResolvers<never>();
      let cancel = () => cancelled.reject(new Cancelled('cancelled'));
      const answer = Promise.race([settled(), cancelled.promise]).then(() => {
        const job = reader.run(work, { ...request, now: Date.now() } as never, onProgress);
        cancel = job.cancel;
        return job.answer;
      });
      return {
        answer: unavailable(answer, 'The query log could not be read'),
        cancel: () => cancel(),
      };
    },
    async pour(request) {
      // before the connection changes hands, because nobody watches it in between
      await settled();
      if (!reader.hasRoom()) return null;
      return (connection) => reader.pour({ ...request, now: Date.now() }, connection);
    },
    follow: (listener) => {
      listeners.add(listener);
      writer.follow(true);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) writer.follow(false);
      };
    },
    tap(listener) {
      tapping = listener;
      writer.tap(true);
      return () => {
        if (tapping !== listener) return;
        tapping = null;
        writer.tap(false);
      };
    },
    configure: (next) => writer.configure(next),
    status: () => writer.status(),
    tally: () => writer.tally(),
    learnFrom(source) {
      engine = source;
    },
    series(wanted) {
      noteFailures();
      return writer.series(wanted);
    },
    decode: (octets) => {
      const [event] = decodeBatch(octets).records;
      if (event === undefined) throw new RangeError('not an event record');
      return presentEvent(event);
    },
    clear: () =>
      unavailable(
        settled().then(() => writer.clear()),
        'The query log could not be erased',
      ),
    close: async () => {
      clearInterval(noting);
      await writer.close();
      await reader.close();
    },
  };
}

async function unavailable<Value>(work: Promise<Value>, what: string): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Cancelled)
      throw new QueryLogError({
        code: 'superseded',
        message: 'another search of the query log took the place of this one',
        remedy: 'ask again',
        subject: null,
      });
    throw new QueryLogError(logUnavailable(what, error));
  }
}
