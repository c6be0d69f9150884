import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixHolds } from '../network/prefix.ts';
import { reverseZones } from './reverse-zones.ts';

test.each([
  ['10.0.0.0', 8, ['10.in-addr.arpa']],
  ['192.168.7.0', 24, ['7.168.192.in-addr.arpa']],
  ['192.0.2.53', 32, ['53.2.0.192.in-addr.arpa']],
  ['0.0.0.0', 0, ['in-addr.arpa']],
  ['10.64.0.0', 11, Array.from({ length: 32 }, (_, index) => `${64 + index}.10.in-addr.arpa`)],
  ['192.0.2.129', 31, ['128.2.0.192.in-addr.arpa', '129.2.0.192.in-addr.arpa']],
  ['fc00::', 7, ['c.f.ip6.arpa', 'd.f.ip6.arpa']],
  ['2001:db8::', 32, ['8.b.d.0.1.0.0.2.ip6.arpa']],
  ['2001:db8:1234::', 47, ['4.3.2.1', '5.3.2.1'].map((end) => `${end}.8.b.d.0.1.0.0.2.ip6.arpa`)],
])('%s/%i', (ip, length, zones) => {
  expect(reverseZones(ip, length)).toEqual(zones);
});

const ip4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((o) => o.join('.'));
const ip6 = fc
  .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
  .map((words) => words.map((word) => word.toString(16)).join(':'));

function reverseName(ip: string): string {
  if (!ip.includes(':')) return `${ip.split('.').toReversed().join('.')}.in-addr.arpa`;
  const nibbles = ip.split(':').flatMap((word) => [...word.padStart(4, '0')]);
  return `${nibbles.toReversed().join('.')}.ip6.arpa`;
}

test('the zones hold the reverse names of these addresses, and of no others', () => {
  const given = fc.oneof(
    fc.tuple(ip4, fc.nat(32), ip4, fc.boolean()),
    fc.tuple(ip6, fc.nat(128), ip6, fc.boolean()),
  );
  fc.assert(
    fc.property(given, ([ip, length, other, near]) => {
      const asked = near ? nearTo(ip, other, length) : other;
      const name = reverseName(asked);
      const held = reverseZones(ip, length).some((zone) => `.${name}`.endsWith(`.${zone}`));
      expect(held).toBe(prefixHolds(ip, length, asked));
    }),
    { numRuns: 3000 },
  );
});

/** The first bits of one address, the other bits of another: in the prefix, or just beside it. */
function nearTo(ip: string, other: string, length: number): string {
  const [separator, radix] = ip.includes(':') ? [':', 16] : ['.', 10];
  const kept = Math.floor(length / (radix === 16 ? 16 : 8));
  const [own, others] = [ip.split(separator), other.split(separator)];
  return [...own.slice(0, kept), ...others.slice(kept)].join(separator);
}
