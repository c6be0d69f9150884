/** What protects the user's queries right now. */
import { z } from 'zod';

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
