/** An address is never taken for a name, a prefix has one meaning, and a resolver is where one can be: whatever field it stands in. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { readIpPrefix } from '../dns/ip-prefix.ts';
import { arePlainRules, bypassRule } from './bypass-rule.ts';
import { readEnrolLink } from './enrol-link.ts';
import { networkMatch } from './network-match.ts';
import { isRuleTarget, readRuleNames } from './rule-words.ts';
import { settingDeclarations } from './settings.ts';
import { comparedName, domainSuffix, serverAddress, upstreamSetting } from './upstream-settings.ts';

function why(schema: z.ZodType, value: unknown): string | null {
  const read = schema.safeParse(value);
  return read.success ? null : read.error.issues.map(({ message }) => message).join('; ');
}

const to = ['192.0.2.53'];

test.each([
  '192.0.2.1',
  '10.0.0.0',
  '192.168.1',
  '256.1.1.1',
  '1.2.3.4.5',
  '42',
  'corp.42',
  'corp.0x7F.',
])('%s is no name', (name) => {
  for (const schema of [domainSuffix, comparedName]) expect(why(schema, name)).not.toBeNull();
  for (const suffix of [name, `=${name}`]) {
    expect(why(bypassRule, { suffix, to })).not.toBeNull();
    expect(arePlainRules([{ suffix, to }])).toBe(false);
  }
});

test.each(['1.example', '10.in-addr.arpa', '0x7g.a1', 'corp.a42', 'xn--90ais.'])(
  '%s is a name',
  (suffix) => {
    expect(why(domainSuffix, suffix)).toBeNull();
    expect(arePlainRules([{ suffix, to }])).toBe(true);
  },
);

test('an address in place of a name is told with the prefix that means its reverse name', () => {
  expect(why(bypassRule, { suffix: '192.0.2.1', to })).toContain('"192.0.2.1/32"');
  expect(why(bypassRule, { suffix: '2001:DB8::1', to })).toContain('"2001:db8::1/128"');
});

test.each([
  ['10.1.2.3/8', 'write "10.0.0.0/8"'],
  ['2001:db8::1/32', 'write "2001:db8::/32"'],
  ['::ffff:10.0.0.0/104', 'write "10.0.0.0/8"'],
  ['10.0.0.0/33', 'write it like'],
])('%s is no prefix of a rule or a network: %s', (prefix, remedy) => {
  expect(why(bypassRule, { suffix: prefix, to })).toContain(remedy);
  expect(why(networkMatch, { prefix })).not.toBeNull();
});

test('a prefix that is taken is the one that was written', () => {
  const anyPrefix = fc
    .tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128))
    .map(([ip, length]) => `${ip}/${length}`);
  fc.assert(
    fc.property(
      fc.oneof(
        anyPrefix,
        anyPrefix.map((one) => readIpPrefix(one) ?? one),
      ),
      (text) => {
        const names = readRuleNames(text);
        if (names?.kind !== 'reverse') return;
        const [ip = '', length] = (readIpPrefix(text) ?? '').split('/');
        expect(names.prefixLength).toBe(Number(length));
        expect(new URL(`http://${wrapped(names.ip)}`).hostname).toBe(wrapped(ip));
      },
    ),
    { numRuns: 2000 },
  );
});

function wrapped(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}

test.each([
  ['0.0.0.0', 'no machine'],
  ['0.1.2.3', 'no machine'],
  ['[::]:53', 'no machine'],
  ['::ffff:0.0.0.0', 'no machine'],
  ['224.0.0.1', 'many machines'],
  ['239.255.255.250:53', 'many machines'],
  ['255.255.255.255', 'many machines'],
  ['ff02::1', 'many machines'],
  ['[FF02::FB%eth0]:5353', 'not an IP address'],
  ['fe80::1', 'fe80::1%eth0'],
  ['[fe80::1]:53', 'fe80::1%eth0'],
])('no resolver is at %s', (address, reason) => {
  expect(isRuleTarget(address)).toBe(false);
  expect(why(bypassRule, { suffix: 'a.example', to: [address] })).toContain(reason);
  expect(arePlainRules([{ suffix: 'a.example', to: [address] }])).toBe(false);
  expect(why(serverAddress, address)).toContain(reason);
  expect(why(settingDeclarations.systemResolvers.schema, [address])).toContain(reason);
  for (const one of [address, [address]])
    expect(why(upstreamSetting, { id: 'a', transport: 'udp', address: one })).toContain(reason);
});

test.each(['127.0.0.1', '169.254.1.1:53', '[fe80::1%eth0]:53', 'fe80::1%2', '[2001:db8::1]:53'])(
  'a resolver can be at %s',
  (address) => {
    expect(why(serverAddress, address)).toBeNull();
    expect(isRuleTarget(address)).toBe(true);
  },
);

test('an address of one link is listened at only with that link', () => {
  const { schema } = settingDeclarations.listen;
  expect(why(schema, ['[fe80::1]:5312', '127.0.0.1:5312'])).toContain('[fe80::1%eth0]:5300');
  expect(why(schema, ['[fe80::1%eth0]:5312', '0.0.0.0:53', '[::]:53'])).toBeNull();
});

test('the address of a profile may be one of a link, and never one without', () => {
  const link = (address: string) =>
    readEnrolLink(
      `sotto://enrol?source=https%3A%2F%2Fa.example%2Fp.json&address=${encodeURIComponent(address)}`,
    )?.address ?? null;
  expect(link('fe80::7%eth0')).toBe('fe80::7%eth0');
  expect(link('2001:db8::7')).toBe('2001:db8::7');
  for (const wrong of ['fe80::7', '0.0.0.0', 'ff02::1', '192.0.2.7:443', '[2001:db8::7]'])
    expect(link(wrong)).toBeNull();
});
