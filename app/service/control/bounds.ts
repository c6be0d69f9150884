/**
 * The most that clients of the control socket may use of the service at once, so that none fills its memory, takes its
 * descriptors or keeps the others waiting, by malice or by a defect.
 */
import { fail, type Result } from '../../contract/errors.ts';

export const bounds = {
  /** each takes a descriptor from those that queries need */
  connections: { ofObserver: 64, ofAllObservers: 1024, ofOthers: 256 },
  subscriptions: { ofConnection: 8, ofAccount: 128 },
  /** measurements, examinations, queries to each upstream: each may hold connections to many servers */
  works: { ofConnection: 8, ofAccount: 12 },
  /** read from a connection and not answered yet */
  requests: { ofConnection: 16 },
  /** octets of a request that is not whole yet; no request of an observer is long */
  incoming: { ofConnection: 1024 * 1024, ofObserver: 64 * 1024, ofAccount: 4 * 1024 * 1024 },
  /** unread octets of a client, from which on its subscriptions end */
  told: { ofConnection: 1024 * 1024, ofAccount: 4 * 1024 * 1024 },
  /** the same, from which on the connection is ended */
  outgoing: { ofConnection: 8 * 1024 * 1024, ofAccount: 8 * 1024 * 1024 },
} as const;

/** A client with so few unread octets may well be reading. */
export const hardlyAny = 64 * 1024;

/** `bound`: as in "connections.ofObserver"; scripts may depend on it. */
export function tooMany(bound: string, most: number, what: string): Result<never> {
  return fail(
    'too-many',
    `${what}: there may be ${most} at once`,
    'end one first, or close a program that talks to Sotto',
    bound,
  );
}
