/** One permission to send in cleartext, and how often it was used. */
import { z } from 'zod';
import { clearClass } from '../query-log/query-event.ts';

const unixMilliseconds = z.number();

export const ledgerEntry = z.strictObject({
  id: z.int().positive(),
  class: clearClass,
  /** identity of the network on which it was given; a hint, like everything about networks */
  network: z.string(),
  /** what that network was called at the time */
  networkLabel: z.string(),
  /** class policy: the group of upstreams it was given for; empty for the default group and for other classes */
  group: z.string(),
  /** the bypass rule, or the word of a list of many, as in "list:4711:3f2a9c81d0e4b7a6"; empty where no rule of the settings decided */
  rule: z.string(),
  reason: z.string(),
  /** who consented */
  who: z.string(),
  since: unixMilliseconds,
  /** when it ends by itself, or ended */
  until: unixMilliseconds.nullable(),
  /**
   * packets that carried a name in cleartext; null where the count is unknown: Sotto did not run, or a command did not report
   * it
   */
  count: z.int().nonnegative().nullable(),
  /** why it ended; null while it is open */
  closed: z.string().nullable(),
});

export type LedgerEntry = z.infer<typeof ledgerEntry>;
