/**
 * What Sotto sends in clear of its own accord, beside the ledger: packets that carry no name anybody asked for, since the service
 * started. Those that do carry one stand in the ledger.
 */
import { z } from 'zod';

/** What an examination asks each of our addresses for. It is answered on this machine, and nobody's query: neither counted nor kept. */
export const probedAtAddresses = { name: 'sotto-probe.test', type: 'A' } as const;

/** What it asks through everything; example.com is there for such uses (RFC 2606). */
export const probedThrough = { name: 'example.com', type: 'A' } as const;

/**
 * `starttls`: the dummy query before TLS on the DNS port. `portal-names`: constants of the settings and the host of the network's
 * own API, asked of the network's resolvers. `portal-pages`: pages over HTTP that tell whether the network wants a login.
 * `portal-api`: TLS hellos with the name of the network's own API (RFC 8908).
 */
export const ownProbeKinds = ['starttls', 'portal-names', 'portal-pages', 'portal-api'] as const;

export const ownProbe = z.strictObject({
  kind: z.enum(ownProbeKinds),
  /** messages: datagrams, requests, hellos; what TCP sends again is one */
  count: z.int().nonnegative(),
  /** unix milliseconds; null: none was sent */
  last: z.number().nullable(),
});

export type OwnProbe = z.infer<typeof ownProbe>;
