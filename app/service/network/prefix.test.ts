import { expect, test } from 'vitest';
import { networkPrefix, prefixHolding } from './prefix.ts';

test.each([
  ['192.0.2.7', 24, '192.0.2.0/24'],
  ['192.0.2.199', 26, '192.0.2.192/26'],
  ['10.255.3.4', 9, '10.128.0.0/9'],
  ['192.0.2.7', 32, '192.0.2.7/32'],
  ['255.1.2.3', 0, '0.0.0.0/0'],
  ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2::/64'],
  ['2001:db8:1:ffff::1', 56, '2001:db8:1:ff00::/56'],
  ['::1', 128, '::1/128'],
])('%s/%d is in %s', (ip, length, prefix) => {
  expect(networkPrefix(ip, length)).toBe(prefix);
});

test.each([
  ['the one that holds the gateway', 4, '198.51.100.1', '198.51.100.0/24'],
  ['the first where none does', 4, '203.0.113.1', '192.0.2.0/24'],
  ['a gateway of the other family tells nothing', 4, 'fe80::1', '192.0.2.0/24'],
  ['no gateway', 4, null, '192.0.2.0/24'],
  ['link-local IPv6 is passed over', 6, 'fe80::1', '2001:db8::/64'],
] as const)('%s', (_what, family, gateway, prefix) => {
  const addresses = [
    { ip: '169.254.1.1', prefixLength: 16 },
    { ip: '192.0.2.7', prefixLength: 24 },
    { ip: '198.51.100.7', prefixLength: 24 },
    { ip: 'fe80::7', prefixLength: 64 },
    { ip: '2001:db8::7', prefixLength: 64 },
  ];
  expect(prefixHolding({ family, gateway }, { addresses })).toBe(prefix);
});
