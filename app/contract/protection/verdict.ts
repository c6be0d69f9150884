/**
 * The verdict on the queries of this computer, in one word: whether they reach us at all, and what happens to them. The service
 * makes it (app/service/status/verdict.ts); page, tray and command line show the same one, in the sentences of
 * verdict-words.ts.
 */
import { z } from 'zod';

const unixMilliseconds = z.number();
const count = z.int().nonnegative();

export const goesAround = z.strictObject({
  /**
   * `program`: as its packets or connections show; `engine`: leads all its containers past us; `other`: for example an address that
   * the system names beside ours, or a program of another user
   */
  kind: z.enum(['program', 'browser', 'engine', 'container', 'link', 'other']),
  name: z.string(),
  /** queries and connections that were seen to leave; absent: they can't be counted */
  count: count.optional(),
  /** since when, in unix milliseconds; absent where `count` is */
  since: unixMilliseconds.optional(),
});

/** Facts that hold although no query that reaches us leaves unencrypted. */
const besides = {
  /** open ledger entries of rules, logins and the like */
  exceptions: count,
  /** another program or the network changes the system's DNS, and what it leads away meanwhile leaves unencrypted */
  contested: z.boolean(),
  /** as far as the last probe found, and what was counted repeatedly since then */
  around: z.array(goesAround),
};

export const verdict = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('protected'), upstream: z.string(), exceptions: count }),
  z.strictObject({
    is: z.literal('not-in-use'),
    /**
     * `no-way`: we know no mechanism of this system; `coverage-gap`: it is taken, and a probe found programs that use other resolvers
     */
    why: z.enum(['not-wanted', 'not-yet', 'no-way', 'coverage-gap']),
    /** queries that reach us leave encrypted */
    works: z.boolean(),
    /** queries did reach us, because a program was pointed here by hand */
    reached: z.boolean(),
    /** since when queries that reach us leave unencrypted; null: they do not */
    unencryptedSince: unixMilliseconds.nullable(),
  }),
  z.strictObject({ is: z.literal('partly'), upstream: z.string(), ...besides }),
  z.strictObject({
    is: z.literal('connecting'),
    /** `look`: no probe has found yet that programs arrive here; `link`: there is no network */
    waitsFor: z.enum(['upstream', 'look', 'link']),
    upstream: z.string(),
    ...besides,
  }),
  z.strictObject({ is: z.literal('choose'), upstream: z.string(), ...besides }),
  z.strictObject({
    is: z.literal('unencrypted'),
    /** `contest`: another program or the network led the system's DNS elsewhere */
    by: z.enum(['consent', 'contest']),
    /** null: unknown */
    since: unixMilliseconds.nullable(),
    /** null when nothing ends it by itself */
    until: unixMilliseconds.nullable(),
    /** who allowed it, in a few words; empty where no person did */
    consent: z.string(),
  }),
  z.strictObject({
    is: z.literal('blocked'),
    /** `contest`: the system's DNS was led elsewhere, and port 53 past us is rejected */
    by: z.enum(['no-path', 'contest']),
    /** why there is no path, in English; may be empty */
    cause: z.string(),
    ...besides,
  }),
  z.strictObject({ is: z.literal('log-in'), ...besides }),
  /** `until`: null when the pause lasts until the next start of the service */
  z.strictObject({ is: z.literal('paused'), until: unixMilliseconds.nullable() }),
  z.strictObject({ is: z.literal('off'), since: unixMilliseconds }),
]);

export type Verdict = z.infer<typeof verdict>;
export type GoesAround = z.infer<typeof goesAround>;
/** A client adds the state in which the service does not respond. */
export type ShownVerdict = Verdict['is'] | 'not-responding';
