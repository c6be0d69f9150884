/**
 * What the service's thread, the log's writer (a worker thread) and its reader (a process) say to each other.
 *
 *   service ──batch, failed, configure, follow, tap, clear, tally, series, close──▶ writer ──▶ database
 *      ▲ └──job, cancel, pour──▶ reader ◀────────────────────────────────────┘
 *      │                           └──an export's octets──▶ client
 *      └──status, live, tapped, cleared, tallied, drawn; progress, answer, error, poured──
 */
import type { FacetCounts } from '../../contract/query-log/log-api.ts';
import type { CountsByClass } from '../../contract/query-log/query-class.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import type { Series, SeriesRequest } from '../../contract/status/series.ts';
import type { QueryTally } from '../../contract/status/service-stats.ts';
import type { LogMode } from './privacy-mode.ts';
import type { AskedPage, AskedRequest } from './search/asked-queries.ts';
import type { FacetsRequest } from './search/count-facets.ts';
import type { CountedRows, CountRequest } from './search/count-rows.ts';
import type { ExportRequest } from './search/export-piece.ts';
import type { FoundPage, PageRequest } from './search/find-page.ts';
import type { Histogram, HistogramRequest } from './search/histogram.ts';
import type { Suggestions } from './search/suggest.ts';
import type { Top, TopRequest } from './search/top.ts';
import type { FailedTries } from './series/failed-tries.ts';
import type { LogLimits } from './trim-step.ts';

export interface QueryLogSettings extends LogLimits {
  mode: LogMode;
  /** whether a query says which program asked */
  programs: boolean;
}

export interface QueryLogStatus {
  state: 'writing' | 'stopped' | 'off';
  /** why it stopped */
  reason: string | null;
  rows: number;
  octets: number;
  /** events that happened but were not recorded */
  lost: number;
}

export interface WriterStatus extends QueryLogStatus {
  /** since when it has been stopped, unix milliseconds */
  stoppedAt: number | null;
  /** the database that could not be used any more and where it was moved */
  setAside: { file: string; reason: string; at: number } | null;
  /** since when a process that reads the file keeps erased names in it, unix milliseconds; null: none does */
  heldUpSince: number | null;
}

export interface WriterOptions {
  file: string;
  settings: QueryLogSettings;
  /** the first event gets an id above this; ids go on rising when a worker is replaced */
  lastId: number;
}

export type ToWriter =
  | { kind: 'batch'; octets: Uint8Array }
  | { kind: 'configure'; settings: QueryLogSettings }
  | { kind: 'follow'; on: boolean }
  | { kind: 'live-seen' }
  /** whether a dnstap reader wants events */
  | { kind: 'tap'; on: boolean }
  | { kind: 'tap-seen' }
  | { kind: 'clear'; request: number }
  | { kind: 'failed'; failed: FailedTries }
  | { kind: 'tally'; request: number }
  | { kind: 'series'; request: number; wanted: SeriesRequest }
  | { kind: 'check-file' }
  | { kind: 'close' };

export type FromWriter =
  | { kind: 'status'; status: WriterStatus; handledOctets: number; lastId: number }
  /** `leftOut`: how many came since the last ones and are not shown */
  | { kind: 'live'; events: QueryEvent[]; leftOut: number }
  /** `count` events as frames of dnstap; `leftOut`: how many came since the last ones and are not in any */
  | { kind: 'tapped'; frames: Uint8Array; count: number; leftOut: number }
  | { kind: 'cleared'; request: number; error: string | null }
  | { kind: 'tallied'; request: number; tally: QueryTally }
  | { kind: 'drawn'; request: number; series: Series };

/** The reader's jobs: each is a generator that can pause between two steps (search/reader-jobs.ts). */
export interface ReaderJobs {
  search: { request: PageRequest; answer: FoundPage };
  count: { request: CountRequest; answer: CountedRows };
  histogram: { request: HistogramRequest; answer: Histogram };
  facets: { request: FacetsRequest; answer: FacetCounts };
  top: { request: TopRequest; answer: Top };
  event: { request: { id: number }; answer: QueryEvent | null };
  asked: { request: AskedRequest; answer: AskedPage };
  suggest: { request: Record<never, never>; answer: Suggestions };
}
export type JobKind = keyof ReaderJobs;

export interface JobProgress {
  scanned: number;
  of: number;
  found: number;
  events?: QueryEvent[];
  counts?: CountsByClass;
  facets?: FacetCounts;
}

export type ToReader =
  | { kind: 'job'; job: number; work: JobKind; request: ReaderJobs[JobKind]['request'] }
  | { kind: 'cancel'; job: number }
  /** comes with the client's connection, which belongs to the reader from then on */
  | { kind: 'pour'; job: number; request: ExportRequest };

export type FromReader =
  | { job: number; answer: ReaderJobs[JobKind]['answer'] }
  | { job: number; progress: JobProgress }
  | { job: number; error: string; fileAtFault: boolean }
  /** the client has all of it, or has gone */
  | { job: number; poured: true };
