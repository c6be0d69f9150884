/** Public keys for tests. */

/** Curve25519: coordinates are numbers modulo this. */
export const p = 2n ** 255n - 19n;

/** Of the points whose order is 8. Their doubles are of order 4. */
export const orderEight = [
  0xb8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0n,
  0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5fn,
];

/**
 * The u coordinates of all points of the curve and of its twist that eight times are the neutral one. 0 and 1 have a second form, because
 * numbers from p on are read modulo p (RFC 7748 section 5).
 */
export const lowOrderKeys = [0n, 1n, p - 1n, p, p + 1n, ...orderEight].map(keyOf);

/** Little-endian, in hexadecimal digits. */
function keyOf(coordinate: bigint): string {
  const octets = Buffer.from(coordinate.toString(16).padStart(64, '0'), 'hex');
  return octets.reverse().toString('hex');
}

/** Published with the first implementation of EncDNS. */
export const serverKey = 'f0c1e42b20bd6b9d930d2a95c083aa8147be457ff16192bbc7d5b1208985ee10';
