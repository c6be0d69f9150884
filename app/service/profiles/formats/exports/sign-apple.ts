/** Signs a configuration profile as Apple's systems read it: CMS (RFC 5652) around it, with the organisation's certificate. */
import { X509Certificate } from 'node:crypto';
import forge from 'node-forge';

export type Signed = { octets: Buffer } | { reason: string; remedy: string };

/** `certificates`: PEM, that of the signer first, then those that lead to an authority. `key`: PEM, not encrypted. */
export function signApple(text: string, certificates: string, key: string): Signed {
  const chain = certificates.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (chain === null) return { reason: 'it holds no certificate', remedy: 'give a PEM file' };
  const { publicKey, validTo } = new X509Certificate(chain[0] ?? '');
  if (publicKey.asymmetricKeyType !== 'rsa')
    return {
      reason: `its key is of the kind ${publicKey.asymmetricKeyType}, and only RSA keys sign here`,
      remedy:
        'sign the file afterwards: openssl cms -sign -nodetach -binary -outform DER -signer CERTIFICATE -inkey KEY',
    };
  const signer = forge.pki.certificateFromPem(chain[0] ?? '');
  const secret = rsaKey(key);
  if (secret === null)
    return {
      reason: 'there is no RSA key beside it',
      remedy: 'give its key as PEM, not encrypted',
    };
  if (!belongTogether(secret, signer))
    return { reason: 'the key is not that of the certificate', remedy: 'give both of one signer' };
  if (Date.parse(validTo) < Date.now())
    return { reason: `it ended on ${validTo}`, remedy: 'give a certificate that holds' };
  const message = forge.pkcs7.createSignedData();
  message.content = forge.util.createBuffer(Buffer.from(text, 'utf8').toString('latin1'));
  for (const one of chain) message.addCertificate(one);
  message.addSigner({
    key: secret,
    certificate: signer,
    digestAlgorithm: forge.pki.oids.sha256 as string,
    authenticatedAttributes: [
      { type: forge.pki.oids.contentType as string, value: forge.pki.oids.data as string },
      { type: forge.pki.oids.messageDigest as string },
      { type: forge.pki.oids.signingTime as string },
    ],
  });
  message.sign();
  const der = forge.asn1.toDer(message.toAsn1()).getBytes();
  return { octets: Buffer.from(der, 'latin1') };
}

function rsaKey(pem: string): forge.pki.rsa.PrivateKey | null {
  try {
    return forge.pki.privateKeyFromPem(pem) as forge.pki.rsa.PrivateKey;
  } catch {
    return null;
  }
}

function belongTogether(secret: forge.pki.rsa.PrivateKey, signer: forge.pki.Certificate): boolean {
  const { n, e } = signer.publicKey as forge.pki.rsa.PublicKey;
  return secret.n.equals(n) && secret.e.equals(e);
}
