/** A question to the person: no private path works here, and the policy is "warn". */
import { z } from 'zod';
import { consent, rungs } from '../settings/downgrade-policy.ts';

const unixMilliseconds = z.number();

export const askStates = [
  'open',
  'allowed',
  'denied',
  /** try the private paths again; asked anew if that is in vain */
  'retried',
  /** the deadline passed: taken as "stay private" */
  'unanswered',
  /** no longer of interest: a private path works, the network or the settings changed */
  'withdrawn',
] as const;

export const ask = z.strictObject({
  /** a short word, never used twice, so that an old answer can't meet a new question */
  id: z.string(),
  network: z.string(),
  networkLabel: z.string(),
  /** empty: the default group */
  group: z.string(),
  /** the upstream asked first, as people know it */
  upstream: z.string(),
  /** why no private path works */
  why: z.string(),
  /** what may be used if it is allowed */
  rungs,
  /** who may allow it */
  consent,
  openedAt: unixMilliseconds,
  deadline: unixMilliseconds,
  state: z.enum(askStates),
  answeredAt: unixMilliseconds.nullable(),
  /** who answered */
  who: z.string().nullable(),
  /** allowed until then */
  until: unixMilliseconds.nullable(),
});

/** What came of trying the private paths again. */
export const retriedAsk = ask.extend({
  /** the upstream that answers privately now, as people know it; null: none does so far */
  reached: z.string().nullable(),
  /** why none does; empty where one does */
  whyNot: z.string(),
  /** the question that is open now; null where none is */
  next: z.string().nullable(),
});

export type RetriedAsk = z.infer<typeof retriedAsk>;
export type Ask = z.infer<typeof ask>;
export type AskState = Ask['state'];
