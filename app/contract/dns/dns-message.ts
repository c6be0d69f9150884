/** A DNS message decoded for reading. Names and data are in presentation format: ASCII, with `\DDD` for every other octet. */
import { z } from 'zod';

const question = z.strictObject({ name: z.string(), type: z.string(), class: z.string() });

const resourceRecord = z.strictObject({
  name: z.string(),
  type: z.string(),
  class: z.string(),
  /** seconds */
  ttl: z.number().int().nonnegative(),
  data: z.string(),
});

const edns = z.strictObject({
  udpSize: z.int().nonnegative(),
  version: z.int().nonnegative(),
  dnssecOk: z.boolean(),
  /** RFC 8914 */
  extendedErrors: z.array(z.strictObject({ code: z.int(), text: z.string() })),
  /** how many milliseconds the server keeps an idle connection (RFC 7828) */
  keepaliveMs: z.int().nonnegative().nullable(),
  padded: z.boolean(),
});

export const dnsMessage = z.strictObject({
  id: z.number().int(),
  rcode: z.string(),
  /** those of qr aa tc rd ra ad cd that are set */
  flags: z.array(z.string()),
  /** null where the message has none, which is legal (RFC 9619) */
  question: question.nullable(),
  answer: z.array(resourceRecord),
  authority: z.array(resourceRecord),
  /** without OPT */
  additional: z.array(resourceRecord),
  edns: edns.nullable(),
});

export type DnsMessage = z.infer<typeof dnsMessage>;
