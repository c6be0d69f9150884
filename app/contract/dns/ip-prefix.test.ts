import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithin, readIp, readIpPrefix } from './ip-prefix.ts';

test.each([
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['172.31.255.255/12', '172.16.0.0/12'],
  ['2001:DB8:0::1/33', '2001:db8::/33'],
  ['::/0', '::/0'],
  ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ['10.0.0.0/33', null],
  ['10.0.0.0/08', null],
  ['10.0.0/8', null],
  ['::1/129', null],
  ['::ffff:10.1.2.3/64', null],
  ['10.0.0.0/8/8', null],
  ['10.0.0.0/', null],
  ['10.0.0.0:53/8', null],
])('%s is %s', (text, prefix) => {
  expect(readIpPrefix(text)).toBe(prefix);
});

test.each([
  ['0:0::1', '::1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.01', null],
  ['[::1]', null],
])('%s is %s', (text, ip) => {
  expect(readIp(text)).toBe(ip);
});

test.each([
  ['ipv4', fc.ipV4(), 32],
  ['ipv6', fc.ipV6(), 128],
] as const)('%s: whether an address is within is what node says', (family, ips, longest) => {
  fc.assert(
    fc.property(ips, ips, fc.nat(longest), fc.boolean(), (ip, given, length, same) => {
      const prefix = readIpPrefix(`${ip}/${length}`);
      fc.pre(prefix?.includes(':') === (family === 'ipv6') && readIp(given) !== null);
      const other = readIp(same ? ip : given) ?? '';
      fc.pre(other.includes(':') === (family === 'ipv6'));
      const list = new BlockList();
      list.addSubnet(ip, length, family);
      expect(isWithin(prefix ?? '', other)).toBe(list.check(other, family));
      expect(readIpPrefix(prefix ?? '')).toBe(prefix);
    }),
  );
});
