/** What protects the user's questions right now, and the one sentence that says so. */
import { z } from 'zod';

const unixMilliseconds = z.number();

export const protectionState = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('off'), since: unixMilliseconds }),
  /** `upstream`: the one being tried first */
  z.strictObject({ state: z.literal('starting'), upstream: z.string() }),
  /** `tls`: "TLS 1.3" */
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

/** How points in time are written: the caller knows locale and time zone. */
export type WriteTime = (unixMilliseconds: number) => string;

export function protectionSentence(protection: ProtectionState, writeTime: WriteTime): string {
  switch (protection.state) {
    case 'off':
      return 'Off. The system asks its own resolvers.';
    case 'starting':
      return `Connecting to ${protection.upstream} …`;
    case 'private':
      return `Your questions go to ${protection.upstream} over ${protection.tls}.`;
    case 'asking':
      return `${protection.upstream} can't be reached privately here. Nothing is sent until you decide.`;
    case 'exposed': {
      const end = protection.until === null ? '' : `, until ${writeTime(protection.until)}`;
      return `Questions leave in clear since ${writeTime(protection.since)} (${protection.consent}${end}).`;
    }
    case 'refusing':
      return `No private path: questions are refused. ${protection.why}`;
    case 'portal':
      return 'This network wants you to log in. DNS stays private meanwhile.';
    case 'paused':
      return protection.until === null
        ? 'Paused until Sotto starts again.'
        : `Paused until ${writeTime(protection.until)}.`;
  }
}
