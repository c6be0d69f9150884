/** Figures since the service started. Two snapshots subtract: that is how a rate, or a minute's latency, is made. */
import { z } from 'zod';
import { ownProbe } from '../protection/own-probes.ts';
import { outcome } from '../query-log/query-event.ts';
import { histogram } from './latency-histogram.ts';
import { cacheStatus, eventStatus, upstreamStatus } from './service-status.ts';

const count = z.number().int().nonnegative();
const unixMilliseconds = z.number();

/**
 * Counted from events as the log's writer sees them, whatever it keeps of them; while `queryLog.mode` is `off` the
 * engine tells of none. No names.
 */
export const questionTally = z.strictObject({
  /** the writer counts from here on: it began with the service, unless it had to be replaced */
  since: unixMilliseconds,
  questions: count,
  /** what the upstream's connection cost a forwarded question */
  costs: z.strictObject({ reused: count, resumed: count, cold: count, queued: count }),
  /** time from arrival to reply of forwarded questions */
  forwarded: histogram,
});

export const serviceStats = z.strictObject({
  at: unixMilliseconds,
  startedAt: unixMilliseconds,
  outcomes: z.partialRecord(outcome, count),
  cache: cacheStatus,
  events: eventStatus,
  /** messages from plain resolvers that were no answer to what was asked: late, or forged */
  strays: count,
  /** what left in clear beside the ledger, with no name that anybody asked for */
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
  /** null while nobody counts: the log's writer is being replaced */
  tally: questionTally.nullable(),
});

export type QuestionTally = z.infer<typeof questionTally>;
export type ServiceStats = z.infer<typeof serviceStats>;
