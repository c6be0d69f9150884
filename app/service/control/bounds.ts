/**
 * The most that clients of the control socket may have of the service at once, so that none fills its memory, takes its
 * descriptors or keeps the others waiting: neither by malice nor by a defect.
 */
import { fail, type Result } from '../../contract/errors.ts';

export const bounds = {
  /** each takes a descriptor from those that queries need */
  connections: { ofObserver: 64, ofAllObservers: 1024, ofOthers: 256 },
  subscriptions: { ofConnection: 8, ofAccount: 128 },
  /** measurements, examinations, queries to each upstream: each may hold connections to many servers */
  works: { ofConnection: 8, ofAccount: 12 },
  /** read of a connection and not answered yet */
  requests: { ofConnection: 16 },
  /** octets of a request that is not whole yet; of those who may only observe none is long */
  incoming: { ofConnection: 1024 * 1024, ofObserver: 64 * 1024, ofAccount: 4 * 1024 * 1024 },
  /** octets before a client that does not read them, from which on it is told nothing more by itself */
  told: { ofConnection: 1024 * 1024, ofAccount: 4 * 1024 * 1024 },
  /** the same, from which on it is let go */
  outgoing: { ofConnection: 8 * 1024 * 1024, ofAccount: 8 * 1024 * 1024 },
} as const;

/** So little before a client is no sign that it does not read. */
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
