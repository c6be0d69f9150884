import net from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSocketAddress, isIPv4, isIPv6, parseSocketAddress } from './socket-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1', null],
  ['192.0.2.1:53', '192.0.2.1', 53],
  ['192.0.2.1:0', '192.0.2.1', 0],
  ['2620:FE::fe', '2620:fe::fe', null],
  ['[2620:fe::fe]', '2620:fe::fe', null],
  ['[::1]:5300', '::1', 5300],
  ['FE80::1%eth0', 'fe80::1%eth0', null],
  ['[fe80::1%wlP9s9]:53', 'fe80::1%wlP9s9', 53],
  ['[febf::1%2]', 'febf::1%2', null],
])('%s is read', (text, ip, port) => {
  expect(parseSocketAddress(text)).toEqual({ ip, port });
});

test.each([
  '',
  'dns.test',
  '192.0.2',
  '192.0.2.1:',
  '192.0.2.1:65536',
  '192.0.2.1:+5',
  '[192.0.2.1]:53',
  '[::1',
  '[::1]53',
  '::1]:53',
  '[::1]:99999',
  // only a link-local address has a zone, and a zone is the name or number of a link
  '2001:db8::1%eth0',
  '192.0.2.1%eth0',
  'fe80::1%',
  'fe80::1%%eth0',
  'fe80::1%a b',
  'fe80::1%a/b',
  'fe80::1%a]',
  '[fe80::1%eth0',
  'fe80::1%more-than-15-octets',
])('%j is refused', (text) => {
  expect(parseSocketAddress(text)).toBeNull();
});

test('IPv6 gets its brackets back', () => {
  expect(formatSocketAddress('::1', 53)).toBe('[::1]:53');
  expect(formatSocketAddress('192.0.2.1', 53)).toBe('192.0.2.1:53');
});

test('what is an address is what the system takes for one', () => {
  const part = fc.constantFrom(
    '0',
    '1',
    '255',
    '256',
    '01',
    'ff',
    'FFFF',
    '10000',
    '',
    ':',
    '.',
    'g',
  );
  const texts = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join(':')),
    fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect({ text, is: isIPv4(text) }).toEqual({ text, is: net.isIPv4(text) });
      expect({ text, is: isIPv6(text) }).toEqual({ text, is: net.isIPv6(text) });
    }),
    { numRuns: 2000 },
  );
});
