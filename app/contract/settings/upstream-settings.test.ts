import { describe, expect, test } from 'vitest';
import { firstHopsOf, upstreamSetting } from './upstream-settings.ts';

const key = 'f0'.repeat(32);
const boxed = { id: 'boxed', transport: 'encdns', zone: 'enc.example', key } as const;

function problems(upstream: unknown): string[] {
  const read = upstreamSetting.safeParse(upstream);
  if (read.success) return [];
  return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('an EncDNS upstream', () => {
  test.each([
    ['network'],
    [['network']],
    ['upstream:quad9'],
    ['192.0.2.1'],
    [['192.0.2.1', '[2001:db8::1]:5353']],
  ])('may be carried by %j', (address) => {
    expect(problems({ ...boxed, address })).toEqual([]);
  });

  test.each([
    [['network', '192.0.2.1'], 'address.0', '"network" can not carry boxes'],
    [['192.0.2.1', 'upstream:quad9'], 'address.1', 'can not carry boxes'],
    ['upstream:', 'address', 'is not an IP address'],
    ['dns.example', 'address', 'can not carry boxes'],
  ])('is not carried by %j', (address, field, why) => {
    const found = problems({ ...boxed, address });
    expect(found.join()).toContain(why);
    expect(found[0]).toMatch(new RegExp(`^${field}: `));
  });

  test.each([
    [{ zone: undefined }, 'zone: encdns needs "zone"'],
    [{ key: undefined }, 'key: encdns needs "key"'],
    [{ key: 'f0' }, 'key: "f0" is not the public key of an EncDNS server'],
    [{ keys: 'sometimes' }, 'keys: '],
    [{ name: 'dns.example' }, 'name: encdns has no TLS'],
    [{ pins: [] }, 'pins: encdns has no TLS'],
    [{ proxy: 'socks5://127.0.0.1:9050' }, 'proxy: boxes go through a resolver, not a proxy'],
  ])('is refused with %j', (change, why) => {
    expect(problems({ ...boxed, address: 'network', ...change })[0]).toContain(why);
  });
});

test('what belongs to EncDNS is refused elsewhere', () => {
  const dot = { id: 'dot', transport: 'dot', address: '192.0.2.1' };
  expect(problems({ ...dot, zone: 'enc.example' })[0]).toContain(
    '"zone" belongs to transport encdns',
  );
  for (const address of ['network', 'upstream:boxed'])
    expect(problems({ ...dot, address })[0]).toContain('is not an IP address');
});

test('first hops are those that carry the boxes of others', () => {
  const addresses = ['192.0.2.1', 'network', 'upstream:quad9', ['upstream:dot']];
  expect(firstHopsOf(addresses.map((address) => ({ address })))).toEqual(new Set(['quad9', 'dot']));
});
