/**
 * What Sotto sends in cleartext by itself, beside the ledger, since the service started: packets that carry no queried name.
 * Packets that carry one stand in the ledger.
 */
import { z } from 'zod';

/**
 * The query that an examination sends to each of our addresses. It is answered on this machine, and it is neither counted nor
 * kept, because no program sent it.
 */
export const probedAtAddresses = { name: 'sotto-probe.test', type: 'A' } as const;

/** The query that an examination sends through upstreams and resolvers; example.com is reserved for such uses (RFC 2606). */
export const probedThrough = { name: 'example.com', type: 'A' } as const;

/**
 * `starttls`: the dummy query before TLS on the DNS port. `portal-names`: queries to the network's resolver for the host names
 * of the settings' pages and of the network's own API. `portal-pages`: pages over HTTP that show whether the network wants a
 * login. `portal-api`: TLS hellos with the name of the network's own API (RFC 8908). `encdns`: packets to resolvers that carry
 * EncDNS queries; the names in them are boxes.
 */
export const ownProbeKinds = [
  'starttls',
  'portal-names',
  'portal-pages',
  'portal-api',
  'encdns',
] as const;

export const ownProbe = z.strictObject({
  kind: z.enum(ownProbeKinds),
  /** messages: datagrams, requests, hellos; a retransmission of TCP is not counted again */
  count: z.int().nonnegative(),
  /** unix milliseconds; null: none was sent */
  last: z.number().nullable(),
});

export type OwnProbe = z.infer<typeof ownProbe>;
