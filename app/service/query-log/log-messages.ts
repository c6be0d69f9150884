/**
 * What the service's thread and the log's two workers say to each other.
 *
 *   service ──batch, configure, follow, clear, tally, close──▶ writer ──▶ database
 *      ▲ └─────query──▶ reader ◀────────────────────────────────────────────┘
 *      └──status, live, cleared, tallied, answer──
 */
import type { Outcome, QueryEvent } from '../../contract/query-event.ts';
import type { QuestionTally } from '../../contract/service-stats.ts';
import type { LogMode } from './privacy-mode.ts';
import type { LogLimits } from './trim-step.ts';

export interface QueryLogSettings extends LogLimits {
  mode: LogMode;
}

export interface QueryFilter {
  /** `*` stands for any characters, `?` for one */
  name?: string | undefined;
  outcome?: Outcome | undefined;
  /** unix milliseconds */
  since?: number | undefined;
  beforeId?: number | undefined;
  limit: number;
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
  | { kind: 'clear'; request: number }
  | { kind: 'tally'; request: number }
  | { kind: 'check-file' }
  | { kind: 'close' };

export type FromWriter =
  | { kind: 'status'; status: WriterStatus; handledOctets: number; lastId: number }
  | { kind: 'live'; events: QueryEvent[] }
  | { kind: 'cleared'; request: number; error: string | null }
  | { kind: 'tallied'; request: number; tally: QuestionTally };

export interface ToReader {
  request: number;
  filter: QueryFilter;
}

export type FromReader =
  | { request: number; events: QueryEvent[] }
  | { request: number; error: string; fileAtFault: boolean };
