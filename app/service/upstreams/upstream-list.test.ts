import { expect, test } from 'vitest';
import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { readCatalogue } from '../settings/resolver-catalogue.ts';
import { addUpstream, moveUpstream, removeUpstream } from './upstream-list.ts';

const catalogue = readCatalogue();
const autumn = Date.UTC(2026, 9, 1);
const [a, b, c] = ['a', 'b', 'c'].map(
  (id): UpstreamSetting => ({ id, transport: 'dot', address: '192.0.2.1', name: `${id}.test` }),
) as [UpstreamSetting, UpstreamSetting, UpstreamSetting];
const ids = (changed: ReturnType<typeof addUpstream>) =>
  changed.ok ? changed.value.upstreams.map(({ id }) => id) : changed.failure.code;

test.each([
  [{ resolver: 'google' }, undefined, ['a', 'b', 'google']],
  [{ resolver: 'google' }, 2, ['a', 'b', 'google']],
  [{ resolver: 'google' }, 3, 'params-invalid'],
  [{ resolver: 'mullvad' }, undefined, 'params-invalid'],
  [{ resolver: 'nobody' }, undefined, 'unknown-resolver'],
  [{ stamp: 'sdns://AQ' }, undefined, 'bad-stamp'],
  [{ transport: 'dot', address: '192.0.2.7', name: 'a' }, undefined, ['a', 'b', 'a-2']],
  [{ transport: 'dot', address: '[2001:db8::1]:853' }, undefined, ['a', 'b', '2001-db8--1']],
  [{ transport: 'tdns', address: '192.0.2.7', id: 'mine' }, 1, ['a', 'mine', 'b']],
] as const)('%j added at %s', (wanted, at, expected) => {
  expect(ids(addUpstream([a, b], wanted as never, at, catalogue, autumn))).toEqual(expected);
});

test.each([
  ['2026-11-02T23:59:59Z', 'ends'],
  ['2026-11-03T00:00:00Z', 'ended'],
])('of a resolver that its operator ends on 2 November 2026 it says at %s: %s', (at, word) => {
  const added = addUpstream([a], { resolver: 'mullvad' }, undefined, catalogue, Date.parse(at));
  const message = expect.stringMatching(new RegExp(`^Mullvad ${word} on 2026-11-02, its operator`));
  expect(added).toMatchObject({ failure: { message } });
});

test('what comes from the catalogue has all its addresses and names', () => {
  expect(addUpstream([a], { resolver: 'quad9' }, undefined, catalogue, autumn)).toMatchObject({
    value: { upstream: { id: 'quad9', transport: 'dot', name: ['dns.quad9.net'] }, notes: [] },
  });
});

test('the hashes in a stamp become certificates of which one has to be in the chain', () => {
  const hash = Buffer.alloc(32, 0xab);
  const stamp = (...hashes: Buffer[]) =>
    `sdns://${Buffer.concat([Buffer.of(3, ...Array(8).fill(0), 9), Buffer.from('192.0.2.1'), ...hashes, Buffer.of(6), Buffer.from('a.test')]).toString('base64url')}`;
  const one = Buffer.concat([Buffer.of(32), hash]);
  const added = (text: string) =>
    addUpstream([b], { stamp: text }, undefined, catalogue, autumn) as never;
  const pin = hash.toString('base64');
  const upstream = { ...a, id: 'a.test', address: '192.0.2.1:853' };
  expect(added(stamp(one))).toMatchObject({
    value: { upstream: { ...upstream, certificatePins: [pin] }, notes: [] },
  });
  expect(added(stamp(Buffer.concat([Buffer.of(0x80 | 32), hash]), one))).toMatchObject({
    value: { upstream: { ...upstream, certificatePins: [pin, pin] } },
  });
  expect(added(stamp(Buffer.of(0)))).not.toHaveProperty('value.upstream.certificatePins');
});

test('a stamp without an address is of a provider that the catalogue knows, or refused', () => {
  const stampFor = (host: string) => {
    const octets = Buffer.concat([
      Buffer.of(3, ...Array(8).fill(0), 0, 0, host.length),
      Buffer.from(host),
    ]);
    return { stamp: `sdns://${octets.toString('base64url')}` };
  };
  const added = (host: string) => addUpstream([a], stampFor(host), undefined, catalogue, autumn);
  const quad9 = catalogue.find(({ id }) => id === 'quad9');
  const at = (port: number) =>
    quad9?.addresses.map((one) => formatSocketAddress(parseSocketAddress(one)?.ip ?? '', port));
  expect(added('dns.quad9.net')).toMatchObject({
    value: { upstream: { transport: 'dot', name: 'dns.quad9.net', address: at(853) } },
  });
  expect(added('DNS.quad9.net:8853')).toMatchObject({ value: { upstream: { address: at(8853) } } });
  expect(added('dns.nobody.example')).toMatchObject({
    failure: { code: 'bad-stamp', message: expect.stringContaining('dns.nobody.example') },
  });
});

test('one in cleartext is added with a warning', () => {
  const added = addUpstream(
    [a],
    { transport: 'udp', address: '192.0.2.7' },
    undefined,
    catalogue,
    autumn,
  );
  expect(added).toMatchObject({ value: { notes: [expect.stringMatching(/in cleartext/)] } });
});

test.each([
  ['a', 2, ['b', 'c', 'a']],
  ['c', 0, ['c', 'a', 'b']],
  ['b', 1, ['a', 'b', 'c']],
  ['b', 3, 'params-invalid'],
  ['x', 0, 'unknown-upstream'],
])('%s moved to %i', (id, to, expected) => {
  expect(ids(moveUpstream([a, b, c], id, to))).toEqual(expected);
});

test('the last one is not removed, and nobody unknown', () => {
  expect(ids(removeUpstream([a, b], 'a'))).toEqual(['b']);
  expect(ids(removeUpstream([a], 'a'))).toBe('params-invalid');
  expect(ids(removeUpstream([a, b], 'x'))).toBe('unknown-upstream');
});
