/** What protects the user's queries right now, and the one sentence that says so. */
import { z } from 'zod';
import { inEnglish, type Said, say, type WriteTime } from '../sentences/sentence.ts';

const unixMilliseconds = z.number();

export const protectionState = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('off'), since: unixMilliseconds }),
  /** `upstream`: the one being tried first */
  z.strictObject({ state: z.literal('starting'), upstream: z.string() }),
  /** `tls`: what keeps it private, "TLS 1.3" or "EncDNS" */
  z.strictObject({ state: z.literal('private'), upstream: z.string(), tls: z.string() }),
  z.strictObject({ state: z.literal('asking'), upstream: z.string() }),
  /** `consent`: who allowed it, in a few words; `until`: null when nothing ends it by itself */
  z.strictObject({
    state: z.literal('exposed'),
    since: unixMilliseconds,
    until: unixMilliseconds.nullable(),
    consent: z.string(),
  }),
  z.strictObject({ state: z.literal('refusing'), why: z.string() }),
  z.strictObject({ state: z.literal('portal') }),
  /** `until`: null when the pause lasts until the next start of the service */
  z.strictObject({ state: z.literal('paused'), until: unixMilliseconds.nullable() }),
]);

export type ProtectionState = z.infer<typeof protectionState>;
export type ProtectionStateName = ProtectionState['state'];

export function protectionSentence(protection: ProtectionState, writeTime: WriteTime): string {
  return inEnglish(sayProtection(protection), writeTime);
}

function sayProtection(protection: ProtectionState): Said {
  switch (protection.state) {
    case 'off':
      return say('state-off');
    case 'starting':
      return say('state-starting', { upstream: protection.upstream });
    case 'private':
      return say('state-private', { upstream: protection.upstream, tls: protection.tls });
    case 'asking':
      return say('state-asking', { upstream: protection.upstream });
    case 'exposed': {
      const { since, until, consent } = protection;
      return until === null
        ? say('state-exposed', { since, consent })
        : say('state-exposed-until', { since, consent, until });
    }
    case 'refusing':
      return say('state-refusing', { why: protection.why });
    case 'portal':
      return say('state-portal');
    case 'paused':
      return protection.until === null
        ? say('state-paused-until-restart')
        : say('state-paused', { until: protection.until });
  }
}
