/** The service at one moment: what `sotto status` prints and the window draws. */
import { z } from 'zod';
import { healthIssue } from './health-issue.ts';
import { protectionState } from './protection-state.ts';
import { clearClass, outcome } from './query-event.ts';
import { upstreamTransports } from './upstream-settings.ts';

const count = z.number().int().nonnegative();
const unixMilliseconds = z.number();

export const upstreamStates = [
  'idle',
  'dialing',
  'negotiating',
  'ready',
  'draining',
  'closed',
  /** backing off after failures */
  'resting',
] as const;

export const tlsFacts = z.strictObject({
  /** "1.2" or "1.3" */
  version: z.string(),
  cipher: z.string(),
  /** key exchange group; empty where a resumed TLS 1.2 session had none */
  group: z.string(),
  resumed: z.boolean(),
  /** the name the certificate was checked for */
  name: z.string().nullable(),
  /** a pin matched */
  pinned: z.boolean(),
});

export const upstreamStatus = z.strictObject({
  id: z.string(),
  transport: z.enum(upstreamTransports),
  state: z.enum(upstreamStates),
  /** ip:port in use, or used last */
  address: z.string().nullable(),
  tls: tlsFacts.nullable(),
  /** why it gave no answer last time; null since it did again. `code` is the engine's stable word. */
  lastError: z.strictObject({ code: z.string(), text: z.string() }).nullable(),
  restingMs: z.number().nonnegative(),
  inFlight: count,
  answered: count,
  failed: count,
  dials: count,
  resumptions: count,
  /** milliseconds; null before the first answer */
  rttMs: z.number().nonnegative().nullable(),
  handshakeMs: z.number().nonnegative().nullable(),
});

/** One permission to send in clear, and how often it was used. */
export const ledgerEntry = z.strictObject({
  id: z.int().positive(),
  class: clearClass,
  network: z.string(),
  /** the bypass suffix; empty where no rule of the settings decided */
  rule: z.string(),
  reason: z.string(),
  /** who consented */
  who: z.string(),
  since: unixMilliseconds,
  /** when it ends by itself, or ended */
  until: unixMilliseconds.nullable(),
  /** packets that carried a name in clear */
  count,
  /** why it ended; null while it is open */
  closed: z.string().nullable(),
});

export const cacheStatus = z.strictObject({
  entries: count,
  /** octets it takes, of at most `capacity` */
  octets: count,
  capacity: count,
  hits: count,
  misses: count,
  /** answered with expired data (RFC 8767) */
  stale: count,
  /** asked for anew shortly before they expired */
  prefetched: count,
});

export const eventStatus = z.strictObject({ delivered: count, dropped: count });

export const logStatus = z.strictObject({
  state: z.enum(['writing', 'stopped', 'off']),
  reason: z.string().nullable(),
  rows: count,
  octets: count,
  /** events that could not be stored */
  lost: count,
});

export const serviceStatus = z.strictObject({
  version: z.string(),
  pid: z.number().int(),
  startedAt: unixMilliseconds,
  protection: protectionState,
  /** the state in one English sentence */
  sentence: z.string(),
  listening: z.array(z.string()),
  upstreams: z.array(upstreamStatus),
  outcomes: z.partialRecord(outcome, count),
  /** open entries of the downgrade ledger */
  clear: z.array(ledgerEntry),
  cache: cacheStatus,
  events: eventStatus,
  log: logStatus,
  health: z.array(healthIssue),
});

export type CacheStatus = z.infer<typeof cacheStatus>;
export type UpstreamStatus = z.infer<typeof upstreamStatus>;
export type LedgerEntry = z.infer<typeof ledgerEntry>;
export type LogStatus = z.infer<typeof logStatus>;
export type ServiceStatus = z.infer<typeof serviceStatus>;
