/** Client identities of this machine: certificates and keys by which servers know it. An upstream names one; no key is ever sent back. */
import { z } from 'zod';
import { method } from '../method.ts';
import { identityName } from './upstream-settings.ts';

const unixMilliseconds = z.number();

export const clientIdentity = z.strictObject({
  name: identityName,
  /** of its certificate, which a server is shown; null: what is kept of it can't be used */
  certificate: z
    .strictObject({
      subject: z.string(),
      issuer: z.string(),
      notBefore: unixMilliseconds,
      notAfter: unixMilliseconds,
      /** such as "RSA 3072" or "P-256" */
      key: z.string(),
      /** SHA-256 of the certificate, in hexadecimal digits */
      fingerprint: z.string(),
      /** certificates that are sent, its own included */
      length: z.int().positive(),
    })
    .nullable(),
  /** why it can't be used; null: it can, until it expires */
  trouble: z.string().nullable(),
  /** ids of the upstreams that name it */
  upstreams: z.array(z.string()),
});
export type ClientIdentity = z.infer<typeof clientIdentity>;

/** More than a key and a long chain have, and less than a request has room for. */
const mostText = 256 * 1024;

export const identityMethods = {
  'identity.list': method('administer', {
    params: z.strictObject({}),
    result: z.strictObject({ identities: z.array(clientIdentity) }),
  }),
  /** One of the same name gives way to it, which is how a certificate is renewed. */
  'identity.add': method('administer', {
    params: z.strictObject({
      name: identityName,
      /** PEM, not encrypted */
      key: z.string().max(mostText),
      /** PEM, in any order; what does not belong to the key's chain is left out */
      certificates: z.string().max(mostText),
    }),
    result: z.strictObject({ identity: clientIdentity, replaced: z.boolean() }),
  }),
  /** Refused while an upstream names it. */
  'identity.remove': method('administer', {
    params: z.strictObject({ name: identityName }),
    result: z.strictObject({ identity: clientIdentity }),
  }),
};
