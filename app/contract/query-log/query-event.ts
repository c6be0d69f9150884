/** One query, from its arrival to the response. */
import { z } from 'zod';
import {
  attributions,
  clearClasses,
  clientProtocols,
  costs,
  outcomes,
  transports,
} from '../engine-words.ts';

export const outcome = z.enum(outcomes);
export const clearClass = z.enum(clearClasses);

const milliseconds = z.number().nonnegative();

/** Where the time went, in milliseconds; their sum is `ms`, except for rounding. */
export const stages = z.strictObject({
  policy: milliseconds,
  cache: milliseconds,
  /** waiting for a connection: dial, STARTTLS, TLS */
  connect: milliseconds,
  /** waiting for a response, from whichever server */
  wait: milliseconds,
  response: milliseconds,
});

/** Which program sent it, as far as the kernel told. A text is empty where nothing is known. */
const asker = z.strictObject({
  /** `unknown`: its socket was gone already; `seems`: it came by UDP, where nothing proves who asks */
  attribution: z.enum(attributions),
  /** as its control group is called: `firefox`, `sshd`, `session` */
  program: z.string(),
  /** what its desktop file calls it */
  application: z.string(),
  /** the icon's name, or its path */
  icon: z.string(),
  /** it asks for other programs: a local forwarder such as systemd-resolved */
  forwards: z.boolean(),
  /** of systemd */
  unit: z.string(),
  /** name or short id */
  container: z.string(),
  /** path */
  executable: z.string(),
  /** the account's name, or its number where it has none */
  user: z.string(),
});

export const queryEvent = z.strictObject({
  id: z.number().int().nonnegative(),
  /** unix milliseconds, with a fraction */
  at: z.number(),
  /** presentation form, lower case, ASCII; empty where the log's mode keeps no names */
  name: z.string(),
  /** mnemonic, or TYPE65280 */
  type: z.string(),
  class: z.string(),
  outcome,
  cost: z.enum(costs),
  transport: z.enum(transports),
  clear: clearClass,
  rcode: z.string(),
  /** RFC 8914 info-code */
  extendedError: z.number().int().nullable(),
  ms: milliseconds,
  stages,
  /** spent upstream, handshakes included */
  roundTrips: z.number().int(),
  /** how long it took to open the connection that carried it; 0 where it was open already */
  handshakeMs: milliseconds,
  /**
   * octets of its messages on the upstream's connection, framing and padding included; 0 where it shared another query's
   * response
   */
  sentOctets: z.number().int().nonnegative(),
  receivedOctets: z.number().int().nonnegative(),
  /** from and to the program that sent the query */
  queryOctets: z.number().int(),
  responseOctets: z.number().int(),
  /** records in the answer section of the response */
  answers: z.int().nonnegative(),
  authenticData: z.boolean(),
  /** id of the upstream, or address of the bypass resolver */
  upstream: z.string(),
  /** the rule that decided: a bypass suffix or a special-use name */
  rule: z.string(),
  /** the sentence that went out with the extended error */
  reason: z.string(),
  client: z.strictObject({
    protocol: z.enum(clientProtocols),
    address: z.string(),
    port: z.number().int(),
  }),
  asker,
});

export type Asker = z.infer<typeof asker>;
export type QueryEvent = z.infer<typeof queryEvent>;
