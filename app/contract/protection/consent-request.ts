/** A prompt that a person answers: no private path works here, and the policy is "warn". */
import { z } from 'zod';
import { consent, rungs } from '../settings/downgrade-policy.ts';

const unixMilliseconds = z.number();

export const consentRequestStates = [
  'open',
  'allowed',
  'denied',
  /** try the private paths again; if that fails, there is a new request */
  'retried',
  /** the deadline passed, which counts as "stay private" */
  'unanswered',
  /** no longer needed: a private path works, or the network or the settings changed */
  'withdrawn',
] as const;

export const consentRequest = z.strictObject({
  /** a short word, never used twice, so that an old answer can't meet a new request */
  id: z.string(),
  network: z.string(),
  networkLabel: z.string(),
  /** empty: the default group */
  group: z.string(),
  /** the upstream that comes first, by its label */
  upstream: z.string(),
  /** why no private path works */
  why: z.string(),
  /** what may be used if the person allows it */
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

/** The result of trying the private paths again. */
export const retriedUpstreams = z.strictObject({
  /** the upstream that responds privately now, by its label; null: none does so far */
  reached: z.string().nullable(),
  /** why none does; empty where one does */
  whyNot: z.string(),
});

export const retriedConsentRequest = consentRequest.extend({
  ...retriedUpstreams.shape,
  /** the request that is open now; null where none is */
  next: z.string().nullable(),
});

export type RetriedUpstreams = z.infer<typeof retriedUpstreams>;
export type RetriedConsentRequest = z.infer<typeof retriedConsentRequest>;
export type ConsentRequest = z.infer<typeof consentRequest>;
export type ConsentRequestState = ConsentRequest['state'];
