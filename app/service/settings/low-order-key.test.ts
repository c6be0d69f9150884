import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { lowOrderKeys, orderEight, p, serverKey } from './low-order-fixture.ts';
import { isOfLowOrder } from './low-order-key.ts';

/** RFC 7748 section 4.1: v² = u³ + 486662 u² + u, where u = 1 is of order 4. */
test.each(orderEight)('%s doubles to a point of order 4', (u) => {
  const [numerator, denominator] = [(u * u - 1n) ** 2n, 4n * u * (u * u + 486_662n * u + 1n)];
  expect((numerator - denominator) % p).toBe(0n);
  expect(denominator % p).not.toBe(0n);
});

test.each(lowOrderKeys)('%s is of low order, whatever its highest bit says', (key) => {
  expect(isOfLowOrder(key)).toBe(true);
  const highest = Buffer.from(key, 'hex');
  // RFC 7748 section 5: the highest bit is not looked at
  highest[31] = (highest[31] ?? 0) ^ 0x80;
  expect(isOfLowOrder(highest.toString('hex').toUpperCase())).toBe(true);
});

test.each([
  ['the one that was published', serverKey],
  ['the base point', `09${'00'.repeat(31)}`],
  ['beside one of low order', `02${'00'.repeat(31)}`],
  ['beside another', `eb${'ff'.repeat(30)}7f`],
  ['not canonical, of the whole order', `f6${'ff'.repeat(30)}7f`],
  ['on the twist', 'f0'.repeat(32)],
])('another point is not: %s', (_what, key) => {
  expect(isOfLowOrder(key)).toBe(false);
});

test('no key that somebody makes is', () => {
  for (let octet = 0; octet < 256; octet += 15) {
    const der = Buffer.from(`302e020100300506032b656e04220420${'00'.repeat(32)}`, 'hex').fill(
      octet,
      16,
    );
    const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(secret).export({ format: 'jwk' });
    expect(isOfLowOrder(Buffer.from(x, 'base64url').toString('hex'))).toBe(false);
  }
});
