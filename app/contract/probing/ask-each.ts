/** One query to each upstream of its group, side by side, each over its own connection. */

import { z } from 'zod';
import { dnsMessage } from '../dns/dns-message.ts';
import { typedName } from '../dns/typed-name.ts';
import { costs, upstreamTransports } from '../engine-words.ts';
import { upstreamError } from '../status/service-status.ts';
import { comparison } from './comparison.ts';
import { begun } from './progress.ts';

const milliseconds = z.number().nonnegative();

export const responseOfOne = z.strictObject({
  upstream: z.string(),
  /** the transport that carried it; null where there was no response */
  transport: z.enum(upstreamTransports).nullable(),
  cost: z.enum(costs),
  connectMs: milliseconds,
  waitMs: milliseconds,
  roundTrips: z.int().nonnegative(),
  /** null where there was none; `error` says why */
  response: dnsMessage.nullable(),
  error: upstreamError.nullable(),
  /** how the response differs from the first that came; empty where it does not */
  differs: z.array(z.string()),
  /** of all responses, with the last of them; null before */
  comparison: comparison.nullable(),
});

/** A name that the policy answers here, or sends elsewhere, is not sent to upstreams: "bad-query" says why. */
export const askEach = {
  params: z.strictObject({ name: typedName, type: z.string().min(1).max(20) }),
  result: begun,
};

export type ResponseOfOne = z.infer<typeof responseOfOne>;
