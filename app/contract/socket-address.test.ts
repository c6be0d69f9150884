import { expect, test } from 'vitest';
import { formatSocketAddress, parseSocketAddress } from './socket-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1', null],
  ['192.0.2.1:53', '192.0.2.1', 53],
  ['192.0.2.1:0', '192.0.2.1', 0],
  ['2620:FE::fe', '2620:fe::fe', null],
  ['[2620:fe::fe]', '2620:fe::fe', null],
  ['[::1]:5300', '::1', 5300],
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
])('%j is refused', (text) => {
  expect(parseSocketAddress(text)).toBeNull();
});

test('IPv6 gets its brackets back', () => {
  expect(formatSocketAddress('::1', 53)).toBe('[::1]:53');
  expect(formatSocketAddress('192.0.2.1', 53)).toBe('192.0.2.1:53');
});
