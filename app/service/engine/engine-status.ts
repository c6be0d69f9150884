/**
 * What the engine says of itself: docs/design/engine-boundary.md. Fields unknown here are left out rather than
 * refused: answering questions must not depend on how they are counted.
 */
import { z } from 'zod';
import { ownProbe } from '../../contract/protection/own-probes.ts';
import { clearClass, outcome } from '../../contract/query-log/query-event.ts';
import {
  cacheStatus,
  eventStatus,
  rungStatus,
  tlsFacts,
  type UpstreamStatus,
  upstreamStatus,
} from '../../contract/status/service-status.ts';

const count = z.number().int().nonnegative();
const unixMilliseconds = z.number();

/** A server that used to speak TLS and did something else: decision 0010. */
export const downgradeEvidence = z.object({
  upstream: z.string(),
  /** ip:port */
  address: z.string(),
  network: z.string(),
  what: z.enum(['starttls-declined', 'tls-refused', 'reset', 'certificate-wrong']),
  text: z.string(),
  first: unixMilliseconds,
  last: unixMilliseconds,
  count,
});

export const engineStatus = z.object({
  listening: z.array(z.string()),
  mode: z.enum(['private', 'off', 'paused']),
  upstreams: z.array(
    z.object({
      ...upstreamStatus.shape,
      group: z.string().default(''),
      path: upstreamStatus.shape.path.default(null),
      warmth: upstreamStatus.shape.warmth.default(null),
      cost: upstreamStatus.shape.cost.default(null),
      tls: z.object(tlsFacts.shape).nullable(),
    }),
  ),
  outcomes: z.partialRecord(outcome, count),
  /** packets sent in clear under each lease of the configuration in force, and of the one before it */
  clear: z.array(
    z.strictObject({
      entry: z.int(),
      class: clearClass,
      count,
      ended: z.boolean(),
      /** the machine has moved, and the engine was not told yet that it holds here */
      suspended: z.boolean().default(false),
    }),
  ),
  events: z.object(eventStatus.shape),
  cache: z.object(cacheStatus.shape),
  /** bypass resolvers that lead back to us, ip:port */
  looping: z.array(z.string()),
  /** messages from plain resolvers that were no answer to what was asked */
  strays: count,
  /** what left in clear beside the ledger */
  ownProbes: z.array(z.object(ownProbe.shape)).default([]),
  /** TCP connections that could not be accepted; `standing`: none was accepted since */
  acceptFailures: z.object({ count, standing: z.boolean(), lastError: z.string().nullable() }),
  /** listeners that ended by themselves, and begin again */
  brokenListeners: z
    .array(z.object({ address: z.string(), protocol: z.enum(['udp', 'tcp']), why: z.string() }))
    .default([]),
  /** queries for which there was no room to wait for the network; `standing`: it is not half free since */
  turnedAway: z.object({ count, standing: z.boolean() }).default({ count: 0, standing: false }),
  /** only while a lease lets them be used */
  rungs: z.array(z.object(rungStatus.shape)).default([]),
  downgradeEvidence: z.array(downgradeEvidence).default([]),
  /** where servers proved themselves, ip:port or name:port, the latest last */
  knownPrivate: z.array(z.string()).default([]),
  /** questions that wait for a lease: no private path, and policy lets the control plane decide */
  holding: count.default(0),
});

export type DowngradeEvidence = z.infer<typeof downgradeEvidence>;
export type EngineStatus = z.infer<typeof engineStatus>;

/** What can be said of an upstream that was never used. */
export const neverUsed: Omit<UpstreamStatus, 'id' | 'transport' | 'group'> = {
  path: null,
  state: 'idle',
  address: null,
  tls: null,
  lastError: null,
  restingMs: 0,
  inFlight: 0,
  answered: 0,
  failed: 0,
  dials: 0,
  resumptions: 0,
  warmth: null,
  cost: null,
  rttMs: null,
  handshakeMs: null,
};
