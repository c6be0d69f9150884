/** Public keys of Curve25519 with which a secret is shared by everybody. */
import { createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';

/**
 * With a point of low order, every secret key has the product zero, so whoever knows the format opens the boxes. RFC 7748 section 6.1 has
 * one look at the product, as node:crypto does: it finds all these points, however they are written, and needs no list of them.
 * `key`: 64 hexadecimal digits.
 */
export function isOfLowOrder(key: string): boolean {
  const x = Buffer.from(key, 'hex').toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
  const { privateKey } = generateKeyPairSync('x25519');
  try {
    diffieHellman({ privateKey, publicKey });
    return false;
  } catch {
    return true;
  }
}

export const lowOrderProblem =
  'the key is a point of low order, with which anybody could open the boxes; take the one that "sotto-server encdns-key" prints';
