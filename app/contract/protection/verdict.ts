/**
 * What holds for the queries of this computer, in one word: whether it asks us at all, and what becomes of what it asks. The
 * service makes it (app/service/status/verdict.ts); page, tray and command line show the same one, in the words of verdict-words.ts.
 */
import { z } from 'zod';

const unixMilliseconds = z.number();
const count = z.int().nonnegative();

export const goesAround = z.strictObject({
  /** `engine`: leads all its containers past us; `other`: an address that the system names beside us, and the like */
  kind: z.enum(['browser', 'engine', 'container', 'link', 'other']),
  name: z.string(),
});

/** What is so although no query that reaches us leaves unencrypted. */
const besides = {
  /** open ledger entries of rules, logins and the like */
  exceptions: count,
  /** another program or the network changes the system's DNS, and what it leads away meanwhile leaves unencrypted */
  contested: z.boolean(),
  /** as far as somebody has looked */
  around: z.array(goesAround),
};

export const verdict = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('protected'), upstream: z.string(), exceptions: count }),
  z.strictObject({
    is: z.literal('not-in-use'),
    /** `no-way`: this system has none that we know; `stray`: it is taken, and a probe saw that programs ask elsewhere */
    why: z.enum(['not-wanted', 'not-yet', 'no-way', 'stray']),
    /** what reaches us goes out encrypted */
    works: z.boolean(),
    /** queries did reach us: somebody was pointed here by hand */
    reached: z.boolean(),
    /** since when what reaches us leaves unencrypted; null: it does not */
    unencryptedSince: unixMilliseconds.nullable(),
  }),
  z.strictObject({ is: z.literal('partly'), upstream: z.string(), ...besides }),
  z.strictObject({
    is: z.literal('connecting'),
    /** `look`: nobody has seen yet that programs arrive here; `link`: the network is what is missing */
    waitsFor: z.enum(['upstream', 'look', 'link']),
    upstream: z.string(),
    ...besides,
  }),
  z.strictObject({ is: z.literal('choose'), upstream: z.string(), ...besides }),
  z.strictObject({
    is: z.literal('unencrypted'),
    /** `contest`: the system's DNS was led elsewhere by another program or the network */
    by: z.enum(['consent', 'contest']),
    /** null: nobody knows */
    since: unixMilliseconds.nullable(),
    /** null when nothing ends it by itself */
    until: unixMilliseconds.nullable(),
    /** who allowed it, in a few words; empty where nobody did */
    consent: z.string(),
  }),
  z.strictObject({
    is: z.literal('blocked'),
    /** `contest`: the system's DNS was led elsewhere, and is closed there */
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
/** A client adds the one that no service can say of itself. */
export type ShownVerdict = Verdict['is'] | 'not-responding';
