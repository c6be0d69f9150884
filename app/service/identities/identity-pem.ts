/** A client identity as text: its private key, then its certificate and those that lead from it to an authority. Pure. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ClientIdentity } from '../../contract/settings/identity-methods.ts';

export interface ReadIdentity {
  /** the key as PKCS#8, then the certificates, its own first */
  pem: string;
  certificate: NonNullable<ClientIdentity['certificate']>;
}

type Read = { identity: ReadIdentity } | { reason: string };

/** What is wrong is told as the end of a sentence that names the identity. `certificates`: in any order. */
export function readIdentity(keyText: string, certificates: string): Read {
  const key = readKey(keyText);
  if (typeof key === 'string') return { reason: key };
  const named = sayKey(key);
  if (named === null)
    return {
      reason:
        'its key is of a kind that Sotto does not use: RSA with 2048 bits or more, P-256, P-384, P-521 or Ed25519',
    };
  const all = readAll(certificates);
  if (typeof all === 'string') return { reason: all };
  const own = all.find((one) => one.checkPrivateKey(key));
  if (own === undefined)
    return {
      reason: `its private key does not belong to ${all.length === 1 ? 'its certificate' : `any of its ${all.length} certificates`}`,
    };
  if (!isForClients(own))
    return {
      reason:
        'its certificate is not for clients (the extended key usage "clientAuth" is missing), so no server would accept it',
    };
  const chain = [own, ...issuersOf(own, all)];
  const secret = key.export({ type: 'pkcs8', format: 'pem' });
  return {
    identity: {
      pem: `${secret}${chain.map(String).join('')}`,
      certificate: {
        subject: oneLine(own.subject),
        issuer: oneLine(own.issuer),
        notBefore: own.validFromDate.getTime(),
        notAfter: own.validToDate.getTime(),
        key: named,
        fingerprint: own.fingerprint256.replaceAll(':', '').toLowerCase(),
        length: chain.length,
      },
    },
  };
}

const blocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readAll(text: string): X509Certificate[] | string {
  const found = text.match(blocks) ?? [];
  if (found.length === 0) return 'it has no certificate';
  try {
    return found.map((block) => new X509Certificate(block));
  } catch {
    return 'one of its certificates can not be read';
  }
}

function readKey(text: string): KeyObject | string {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return 'it has no private key';
  try {
    return createPrivateKey(text);
  } catch {
    return 'its private key can not be read';
  }
}

const curves = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);

/** Null: TLS can not be spoken with it here. */
function sayKey({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string | null {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails;
  switch (asymmetricKeyType) {
    case 'rsa':
      return modulusLength >= 2048 ? `RSA ${modulusLength}` : null;
    case 'ec':
      return curves.get(namedCurve) ?? null;
    case 'ed25519':
      return 'Ed25519';
    default:
      return null;
  }
}

const clientUses = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'];

/** A certificate that says nothing of its use may be used for everything (RFC 5280 section 4.2.1.12). */
function isForClients({ keyUsage }: X509Certificate): boolean {
  return (
    (keyUsage as string[] | undefined)?.some((use: string) => clientUses.includes(use)) ?? true
  );
}

/** From one to the next, without the authority itself, which the server has. */
function issuersOf(own: X509Certificate, all: readonly X509Certificate[]): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let last = own;
  while (last.subject !== last.issuer) {
    const issuer = all.find((one) => !chain.includes(one) && one !== own && last.checkIssued(one));
    if (issuer === undefined || issuer.subject === issuer.issuer) break;
    chain.push(issuer);
    last = issuer;
  }
  return chain;
}

function oneLine(name: string): string {
  return name.split('\n').join(', ');
}
