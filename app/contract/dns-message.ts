/** A DNS message decoded for reading. Names and data are presentation format: ASCII, with `\DDD` for every other octet. */
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

export const dnsMessage = z.strictObject({
  id: z.number().int(),
  rcode: z.string(),
  /** of qr aa tc rd ra ad cd, those that are set */
  flags: z.array(z.string()),
  question: z.array(question),
  answer: z.array(resourceRecord),
  authority: z.array(resourceRecord),
  additional: z.array(resourceRecord),
  /** RFC 8914 */
  extendedErrors: z.array(z.strictObject({ code: z.number().int(), text: z.string() })),
});

export type DnsMessage = z.infer<typeof dnsMessage>;
