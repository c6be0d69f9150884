/**
 * What the engine says of itself: docs/decisions/0001-engine-boundary.md. Fields unknown here are left out rather than
 * refused: answering questions must not depend on how they are counted.
 */
import { z } from 'zod';
import { clearClass, outcome } from '../../contract/query-event.ts';
import { cacheStatus, eventStatus, upstreamStatus } from '../../contract/service-status.ts';

const count = z.number().int().nonnegative();

const cacheNow = z.object({
  ...cacheStatus.shape,
  capacity: count.default(0),
  octets: count.default(0),
  stale: count.default(0),
  prefetched: count.default(0),
});

export const engineStatus = z.object({
  listening: z.array(z.string()),
  mode: z.enum(['private', 'off', 'paused']),
  upstreams: z.array(z.object(upstreamStatus.shape)),
  outcomes: z.partialRecord(outcome, count),
  /** packets sent in clear under each lease of the configuration in force, and of the one before it */
  clear: z.array(z.strictObject({ entry: z.int(), class: clearClass, count, ended: z.boolean() })),
  events: z.object(eventStatus.shape),
  cache: cacheNow,
  /** bypass resolvers that lead back to us, ip:port */
  looping: z.array(z.string()),
});

export type EngineStatus = z.infer<typeof engineStatus>;
