/** One query to one server over a fresh connection, step by step: at its addresses in their order, until one responds. */
import { z } from 'zod';
import { fastOpens, orders, probeSteps, upstreamTransports } from '../engine-words.ts';
import { tlsFacts, tried } from '../status/service-status.ts';

/** Steps carry further details, which differ from step to step. */
export const probeStep = z.looseObject({
  /** milliseconds since the start */
  at: z.number().nonnegative(),
  step: z.enum(probeSteps),
  text: z.string(),
});

/** docs/design/round-trips.md */
const fastOpen = z.enum(fastOpens);

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();

/**
 * A second connection right after the first, and a few queries on it about the root and `resolver.arpa`. What a server does not
 * say is null.
 */
export const examination = z.strictObject({
  /** tickets that the first connection left for later ones */
  tickets: count,
  resumed: z.boolean(),
  /** to open it */
  roundTrips: count,
  handshakeMs: milliseconds,
  fastOpen: fastOpen,
  /** of the path */
  roundTripMs: milliseconds,
  /** from query to response on the open connection */
  answerMs: milliseconds.nullable(),
  /** how long an idle connection may stay open (RFC 7828) */
  keepaliveMs: milliseconds.nullable(),
  /** `block`: all lengths are multiples of it; RFC 8467 recommends 468. Null: of no usual block */
  padding: z.strictObject({ padded: z.boolean(), block: count.nullable() }).nullable(),
  /** several queries in one write; `in-order` does not show what the server does with a slow one */
  together: z.enum(orders).nullable(),
  /** how it answers about the root, which is signed; null: it has no answer about the root */
  dnssec: z
    .strictObject({
      /** it calls the answer authentic: it validates, or trusts a resolver that does */
      authentic: z.boolean(),
      signed: z.boolean(),
      checkingDisabled: z.boolean(),
    })
    .nullable(),
  /** what the resolver says of itself (RFC 9606), as the authority over its own name */
  resolver: z
    .strictObject({
      minimises: z.boolean(),
      /** codes of RFC 8914 that it may answer with */
      extendedErrors: z.array(z.int().min(0).max(65_535)).nullable(),
      url: z.string().max(255).startsWith('https://').nullable(),
    })
    .nullable(),
});

const outcome = {
  ok: z.boolean(),
  /** the gravest error, whose code `code` is, and all others after it */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  transport: z.enum(upstreamTransports),
  /** the address that responded, or whose error is the gravest; all fields but `tried` and `alternative` are about it */
  address: z.string(),
  tried,
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
      /** below zero once it has expired */
      daysLeft: z.int(),
      /** base64 SHA-256 of the SubjectPublicKeyInfo: what a pin is made of */
      spki: z.string(),
    }),
  ),
  /** base64 of the response */
  response: z.string().nullable(),
  /** packets of a command's own query that carried a name in cleartext */
  clearPackets: count,
  /** of a private transport that works, when an upstream is tested */
  examination: examination.optional(),
} as const;

export const probeReport = z.strictObject({
  ...outcome,
  /**
   * the same over the upstream's other private transport, where it has one; where neither works, `error` and `tried` are of
   * both
   */
  alternative: z.strictObject(outcome).optional(),
});

export type Examination = z.infer<typeof examination>;
export type ProbeReport = z.infer<typeof probeReport>;
export type ProbeStep = z.infer<typeof probeStep>;
