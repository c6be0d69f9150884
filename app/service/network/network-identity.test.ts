import { expect, test } from 'vitest';
import { someSnapshot } from './fake-network-watch.ts';
import { continues, identify } from './network-identity.ts';
import { emptySnapshot, type NetworkSnapshot } from './network-snapshot.ts';

const home = someSnapshot();

function withVpn(snapshot: NetworkSnapshot): NetworkSnapshot {
  return {
    ...snapshot,
    interfaces: [
      ...snapshot.interfaces,
      {
        index: 9,
        name: 'tun0',
        up: true,
        running: true,
        kind: 'tunnel',
        mac: null,
        addresses: [{ ip: '10.8.0.2', prefixLength: 24 }],
      },
    ],
    defaultRoutes: [
      {
        family: 4,
        gateway: '10.8.0.1',
        gatewayMac: null,
        interface: 'tun0',
        interfaceIndex: 9,
        metric: 0,
      },
      ...snapshot.defaultRoutes,
    ],
  };
}

function withIpv6(
  snapshot: NetworkSnapshot,
  mac: string | null,
  ip = '2001:db8::7',
): NetworkSnapshot {
  return {
    ...snapshot,
    interfaces: snapshot.interfaces.map((link) => ({
      ...link,
      addresses: [...link.addresses, { ip, prefixLength: 64 }, { ip: 'fe80::7', prefixLength: 64 }],
    })),
    defaultRoutes: [
      ...snapshot.defaultRoutes,
      {
        family: 6,
        gateway: 'fe80::1',
        gatewayMac: mac,
        interface: 'eth0',
        interfaceIndex: 2,
        metric: 1024,
      },
    ],
  };
}

const ipv6Only = (mac: string | null, ip?: string) => ({
  ...withIpv6(home, mac, ip),
  defaultRoutes: withIpv6(home, mac, ip).defaultRoutes.filter(({ family }) => family === 6),
});

test('an identity has a short id, hints and a label', () => {
  const links = [
    {
      interface: 'eth0',
      servers: [],
      domains: [
        { name: 'route.example', routeOnly: true },
        { name: 'home.arpa', routeOnly: false },
      ],
      vpn: false,
      source: 'resolved' as const,
    },
  ];
  expect(identify(someSnapshot({ links }))).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    hints: {
      interface: 'eth0',
      gateway: '192.0.2.1',
      gatewayMac: '02:00:5e:00:00:01',
      prefix: '192.0.2.0/24',
      domain: 'home.arpa',
    },
    label: '192.0.2.0/24 via 192.0.2.1 on eth0',
    settled: true,
  });
});

test.each<[string, NetworkSnapshot, boolean]>([
  ['the same', someSnapshot(), true],
  ['another address of ours', someSnapshot({ address: '192.0.2.9' }), true],
  ['the same over another interface', someSnapshot({ interface: 'wlan0' }), true],
  ['a VPN on top', withVpn(home), true],
  ['IPv6 beside it', withIpv6(home, null), true],
  ['another router', someSnapshot({ gatewayMac: '02:00:5e:00:00:02' }), false],
  ['another prefix', someSnapshot({ address: '198.51.100.7' }), false],
  ['a router not yet known', someSnapshot({ gatewayMac: null }), false],
])('%s has the same id: %s', (_what, snapshot, same) => {
  expect(identify(snapshot).id === identify(home).id).toBe(same);
});

test('without a way out there is no network', () => {
  const noCarrier = {
    ...home,
    interfaces: home.interfaces.map((link) => ({ ...link, running: false })),
  };
  const onlyVpn = {
    ...withVpn(home),
    defaultRoutes: withVpn(home).defaultRoutes.filter(({ interfaceIndex }) => interfaceIndex === 9),
  };
  for (const snapshot of [emptySnapshot, noCarrier, onlyVpn])
    expect(identify(snapshot)).toMatchObject({ id: 'none', settled: true, label: 'no network' });
});

test('the best metric leads', () => {
  const [route] = home.defaultRoutes;
  const worse = { ...route, metric: 900, gateway: '198.51.100.1', interfaceIndex: 2 };
  const both = { ...home, defaultRoutes: [worse, ...home.defaultRoutes] } as NetworkSnapshot;
  expect(identify(both).hints.gateway).toBe('192.0.2.1');
});

test('a renumbered IPv6 prefix is the same network', () => {
  const mac = '02:00:5e:00:00:01';
  const before = identify(ipv6Only(mac));
  const after = identify(ipv6Only(mac, '2001:db8:1::7'));
  expect(before.hints.prefix).toBe('2001:db8::/64');
  expect(after.hints.prefix).toBe('2001:db8:1::/64');
  expect(after.id).toBe(before.id);
});

test('a link of two has a network of its own, known at once', () => {
  const modem = {
    interfaces: home.interfaces.map((link) => ({ ...link, kind: 'ppp' as const, name: 'ppp0' })),
    defaultRoutes: home.defaultRoutes.map((route) => ({
      ...route,
      gateway: null,
      gatewayMac: null,
      interface: 'ppp0',
    })),
    networkChanges: 0,
    links: [],
  };
  expect(identify(modem)).toMatchObject({ settled: true, label: '192.0.2.0/24 on ppp0' });
});

const unknown = someSnapshot({ gatewayMac: null });

test.each<[string, NetworkSnapshot, NetworkSnapshot, boolean]>([
  ['the hardware address is learned', unknown, home, true],
  ['the hardware address is lost', home, unknown, true],
  ['it is another', home, someSnapshot({ gatewayMac: '02:00:5e:00:00:02' }), false],
  ['the gateway differs', unknown, someSnapshot({ gateway: '192.0.2.254' }), false],
  ['the prefix differs', unknown, someSnapshot({ address: '198.51.100.7' }), false],
  ['the interface differs', unknown, someSnapshot({ interface: 'wlan0' }), false],
  ['IPv4 comes after IPv6', ipv6Only(null), withIpv6(home, null), true],
  ['IPv4 goes', withIpv6(home, null), ipv6Only(null), true],
  ['IPv4 instead of IPv6', ipv6Only(null), home, false],
  ['the network goes', home, emptySnapshot, false],
  ['a network comes', emptySnapshot, home, false],
])('it is still that network when %s: %s', (_what, before, next, same) => {
  expect(continues(identify(before), identify(next))).toBe(same);
});
