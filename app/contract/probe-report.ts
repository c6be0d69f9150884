/** One question to one server over a fresh connection, step by step. */
import { z } from 'zod';
import { tlsFacts } from './service-status.ts';
import { upstreamTransports } from './upstream-settings.ts';

/** Steps carry further details, which differ from step to step. */
export const probeStep = z.looseObject({
  /** milliseconds since the start */
  at: z.number().nonnegative(),
  step: z.enum(['connect', 'starttls', 'tls', 'question', 'answer', 'failed']),
  text: z.string(),
});

/** docs/decisions/0012-one-round-trip.md */
const fastOpen = z.enum(['off', 'cookie-asked', 'not-used', 'accepted']);

const outcome = {
  ok: z.boolean(),
  /** `code` is the engine's stable word */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  transport: z.enum(upstreamTransports),
  address: z.string(),
  ms: z.number().nonnegative(),
  /** handshakes included */
  roundTrips: z.int().nonnegative(),
  fastOpen,
  /** octets that the server's tickets let a client send with its next hello; null: none */
  earlyData: z.int().positive().nullable(),
  steps: z.array(probeStep),
  tls: tlsFacts.nullable(),
  /** as the server sent it, its own certificate first */
  chain: z.array(
    z.strictObject({
      subject: z.string(),
      issuer: z.string(),
      names: z.array(z.string()),
      notBefore: z.string(),
      notAfter: z.string(),
      /** base64 SHA-256 of the SubjectPublicKeyInfo: what a pin is made of */
      spki: z.string(),
    }),
  ),
  /** base64 of the reply */
  reply: z.string().nullable(),
} as const;

export const probeReport = z.strictObject({
  ...outcome,
  /** the same by the other private way to the upstream, where it has one */
  alternative: z.strictObject(outcome).optional(),
});

export type ProbeReport = z.infer<typeof probeReport>;
export type ProbeStep = z.infer<typeof probeStep>;
