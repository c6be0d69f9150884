/** One response in the cache: its kind, without its records. */
import { z } from 'zod';

export const cacheEntry = z.strictObject({
  name: z.string(),
  /** mnemonic, or TYPE65280 */
  type: z.string(),
  class: z.string(),
  rcode: z.string(),
  /** records in its answer section */
  answers: z.int().nonnegative(),
  /** seconds; below zero, the time since it became stale */
  ttlLeft: z.int(),
  stale: z.boolean(),
  /** responses to queries with DO or CD set are kept apart (RFC 4035, sections 3.2.1 and 3.2.2) */
  dnssecOk: z.boolean(),
  checkingDisabled: z.boolean(),
  /** id of the upstream that gave it */
  upstream: z.string(),
  /** it came from an authenticated upstream */
  authenticated: z.boolean(),
  octets: z.int().nonnegative(),
  /** says that the name or the data does not exist (RFC 2308) */
  negative: z.boolean(),
});

export type CacheEntry = z.infer<typeof cacheEntry>;
