/** Figures since the service started. The difference of two snapshots gives a rate, or a minute's latency. */
import { z } from 'zod';
import { ownProbe } from '../protection/own-probes.ts';
import { outcome } from '../query-log/query-event.ts';
import { cacheStatus, eventStatus, upstreamStatus } from './service-status.ts';

const count = z.number().int().nonnegative();
const unixMilliseconds = z.number();
/** a `Histogram` (latency-histogram.ts) */
const histogram = z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative()]));

/**
 * Counted from events as the log's writer sees them, however few it keeps. While `queryLog.mode` is `off`, the engine reports
 * none. No names.
 */
export const queryTally = z.strictObject({
  /** the writer counts from here on: the start of the service, unless the writer had to be replaced */
  since: unixMilliseconds,
  queries: count,
  /** the cost of the upstream's connection for forwarded queries */
  costs: z.strictObject({ reused: count, resumed: count, cold: count, queued: count }),
  /** time from arrival to response of forwarded queries */
  forwarded: histogram,
  /** the sum of these times, in milliseconds */
  forwardedMs: z.number().nonnegative(),
  /** when the last query of a program came; null: none came. Sotto's own queries and those of "sotto query" don't count */
  lastAt: unixMilliseconds.nullable(),
  /**
   * queries by program, the twenty that sent most, the most first; empty for an observer, who may not know what others run, and
   * while `queryLog.programs` is off
   */
  programs: z.array(z.strictObject({ program: z.string(), queries: count })),
});

export const serviceStats = z.strictObject({
  at: unixMilliseconds,
  startedAt: unixMilliseconds,
  outcomes: z.partialRecord(outcome, count),
  cache: cacheStatus,
  events: eventStatus,
  /** messages from plain resolvers that were no response to our query: late, or forged */
  strays: count,
  /** what left in cleartext beside the ledger, without a queried name */
  ownProbes: z.array(ownProbe),
  upstreams: z.array(
    upstreamStatus.pick({
      id: true,
      answered: true,
      failed: true,
      dials: true,
      resumptions: true,
      rttMs: true,
    }),
  ),
  /** octets of memory that the whole service occupies */
  memory: count,
  /** null while there is no count: the log's writer is being replaced */
  tally: queryTally.nullable(),
});

export type QueryTally = z.infer<typeof queryTally>;
export type ServiceStats = z.infer<typeof serviceStats>;
