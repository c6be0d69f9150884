import { expect, test } from 'vitest';
import { canonicalIp, reaches, withPort } from './ip-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['0:0:0:0:0:0:0:1', '::1'],
])('%s is spelled %s', (ip, canonical) => {
  expect(canonicalIp(ip)).toBe(canonical);
});

test.each([
  ['2620:fe::fe', 853, '[2620:fe::fe]:853'],
  ['[2620:fe::fe]:53', 853, '[2620:fe::fe]:53'],
  ['192.0.2.1', 53, '192.0.2.1:53'],
])('%s with default %d is %s', (text, port, full) => {
  expect(withPort(text, port)).toBe(full);
});

test.each([
  ['127.0.0.1:53', '127.0.0.1:53', true],
  ['127.0.0.1:53', '127.0.0.1:54', false],
  ['127.0.0.2:53', '127.0.0.1:53', false],
  ['127.0.0.2:53', '0.0.0.0:53', true],
  ['0.0.0.0:53', '127.0.0.1:53', true],
  ['[::1]:53', '[::]:53', true],
  ['192.0.2.1:53', '0.0.0.0:53', false],
  ['127.0.0.1:0', '127.0.0.1:0', false],
])('a packet to %s and a socket at %s: %s', (target, listen, met) => {
  expect(reaches(target, listen)).toBe(met);
});
