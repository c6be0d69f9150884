import { expect, test } from 'vitest';
import type { NetworkInterface } from '../network/kernel-network.ts';
import { emptySnapshot, type NetworkSnapshot } from '../network/network-snapshot.ts';
import { placeOf } from './place.ts';

function link(
  index: number,
  name: string,
  changes: Partial<NetworkInterface> = {},
): NetworkInterface {
  return {
    index,
    name,
    up: true,
    running: true,
    kind: 'wifi',
    mac: null,
    addresses: [],
    ...changes,
  };
}
const wifi = link(2, 'wlan0', {
  addresses: [
    { ip: '10.1.0.7', prefixLength: 16 },
    { ip: 'fe80::7', prefixLength: 64 },
    { ip: '2001:db8::7', prefixLength: 64 },
  ],
});
const tunnel = link(3, 'tun0', {
  kind: 'tunnel',
  addresses: [{ ip: '10.99.0.2', prefixLength: 24 }],
});
const route = (
  interfaceIndex: number,
  metric: number,
  gateway: string | null,
  family: 4 | 6 = 4,
) => ({
  family,
  gateway,
  gatewayMac: null,
  interface: `${interfaceIndex}`,
  interfaceIndex,
  metric,
});
const snapshot: NetworkSnapshot = {
  interfaces: [
    link(1, 'lo', { kind: 'loopback', addresses: [{ ip: '127.0.0.1', prefixLength: 8 }] }),
    wifi,
    tunnel,
  ],
  defaultRoutes: [route(3, 1, null), route(2, 600, '10.1.0.1'), route(2, 1024, 'fe80::1', 6)],
  networkChanges: 0,
  links: [],
};

test('the place is the link below a tunnel, with the gateways of both families', () => {
  expect(placeOf(snapshot)).toEqual({
    interface: 'wlan0',
    index: 2,
    gateways: ['10.1.0.1', 'fe80::1'],
    local: { 4: '10.1.0.7', 6: '2001:db8::7' },
    resolvers: [],
    own: ['127.0.0.1', '10.1.0.7', 'fe80::7', '2001:db8::7', '10.99.0.2'],
    elsewhere: [{ ip: '10.99.0.2', prefixLength: 24 }],
  });
});

test('resolvers are those of the link, never ourselves', () => {
  const links = [
    {
      interface: 'tun0',
      servers: ['10.99.0.53:53'],
      domains: [],
      vpn: true,
      source: 'resolved' as const,
    },
    {
      interface: 'wlan0',
      servers: ['127.0.0.1:5300', '10.1.0.1:53', '[fe80::1]:53'],
      domains: [],
      vpn: false,
      source: 'resolved' as const,
    },
  ];
  expect(placeOf({ ...snapshot, links })?.resolvers).toEqual(['10.1.0.1:53', '[fe80::1]:53']);
});

test.each<[string, Partial<NetworkSnapshot>]>([
  ['no way out', { defaultRoutes: [] }],
  ['a tunnel alone', { defaultRoutes: [route(3, 1, null)] }],
  ['a link without a carrier', { interfaces: [{ ...wifi, running: false }] }],
  ['nothing', emptySnapshot],
])('%s is no place', (_what, changes) => {
  expect(placeOf({ ...snapshot, ...changes })).toBeNull();
});
