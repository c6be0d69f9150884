/** A prompt that a person answers: no private path works here, and the policy is "warn". On the wire it is an "ask". */
import { z } from 'zod';
import { consent, rungs } from '../settings/downgrade-policy.ts';

const unixMilliseconds = z.number();

export const consentRequestStates = [
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

export const consentRequest = z.strictObject({
  /** a short word, never used twice, so that an old answer can't meet a new request */
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
  state: z.enum(consentRequestStates),
  answeredAt: unixMilliseconds.nullable(),
  /** who answered */
  who: z.string().nullable(),
  /** allowed until then */
  until: unixMilliseconds.nullable(),
});

/** What came of trying the private paths again. */
export const retriedConsentRequest = consentRequest.extend({
  /** the upstream that answers privately now, as people know it; null: none does so far */
  reached: z.string().nullable(),
  /** why none does; empty where one does */
  whyNot: z.string(),
  /** the request that is open now; null where none is */
  next: z.string().nullable(),
});

export type RetriedConsentRequest = z.infer<typeof retriedConsentRequest>;
export type ConsentRequest = z.infer<typeof consentRequest>;
export type ConsentRequestState = ConsentRequest['state'];
