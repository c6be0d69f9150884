import { expect, test } from 'vitest';
import { mergeLinkResolvers } from './link-resolvers.ts';

const interfaces = [
  { index: 2, name: 'eth0' },
  { index: 9, name: 'tun0' },
];
const ip = (...octets: number[]) => octets;
const v6 = ip(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x53);

const resolved = {
  servers: [
    [2, 2, ip(192, 0, 2, 53), 0, ''],
    [2, 10, v6, 853, 'dns.example'],
    [0, 2, ip(198, 51, 100, 1), 53, ''],
    [77, 2, ip(203, 0, 113, 1), 0, ''],
  ],
  domains: [
    [2, 'Home.ARPA.', false],
    [9, 'corp.example', true],
    [9, '.', true],
  ],
};
const configuration = [
  {
    nameservers: ['10.8.0.1', 'dns+tls://192.0.2.1'],
    domains: ['~corp.example'],
    interface: 'tun0',
    vpn: true,
    priority: 50,
  },
  { nameservers: ['192.0.2.54'], domains: ['lan'], interface: 'wlan0', priority: 100 },
];

test('resolved: servers with ports, domains by link, what is of no link in particular', () => {
  expect(mergeLinkResolvers({ resolved, networkManager: null }, interfaces)).toEqual([
    {
      interface: 'eth0',
      servers: ['192.0.2.53:53', '[2001:db8::53]:853'],
      domains: [{ name: 'home.arpa', routeOnly: false }],
      vpn: false,
      source: 'resolved',
    },
    { interface: null, servers: ['198.51.100.1:53'], domains: [], vpn: false, source: 'resolved' },
    {
      interface: 'tun0',
      servers: [],
      domains: [
        { name: 'corp.example', routeOnly: true },
        { name: '', routeOnly: true },
      ],
      vpn: false,
      source: 'resolved',
    },
  ]);
});

test('resolved before 246 tells no ports', () => {
  const older = { servers: [[2, 2, ip(192, 0, 2, 53)]], domains: null };
  const [link] = mergeLinkResolvers({ resolved: older, networkManager: null }, interfaces);
  expect(link?.servers).toEqual(['192.0.2.53:53']);
});

test('NetworkManager alone', () => {
  const links = mergeLinkResolvers(
    { resolved: null, networkManager: { configuration } },
    interfaces,
  );
  expect(links).toEqual([
    {
      interface: 'tun0',
      servers: ['10.8.0.1:53'],
      domains: [{ name: 'corp.example', routeOnly: true }],
      vpn: true,
      source: 'network-manager',
    },
    {
      interface: 'wlan0',
      servers: ['192.0.2.54:53'],
      domains: [{ name: 'lan', routeOnly: false }],
      vpn: false,
      source: 'network-manager',
    },
  ]);
});

test('both: resolved has the word on its links, NetworkManager says which are VPNs', () => {
  const links = mergeLinkResolvers({ resolved, networkManager: { configuration } }, interfaces);
  expect(links.map(({ interface: link, source, vpn }) => [link, source, vpn])).toEqual([
    ['eth0', 'resolved', false],
    [null, 'resolved', false],
    ['tun0', 'resolved', true],
    ['wlan0', 'network-manager', false],
  ]);
  const [, , tun0] = links;
  const byManager = {
    servers: ['10.8.0.1:53'],
    domains: [{ name: 'corp.example', routeOnly: true }],
  };
  expect(tun0).toMatchObject({ servers: ['10.8.0.1:53'], byManager });
});

test.each([
  ['nothing', { resolved: null, networkManager: null }],
  [
    'other shapes',
    { resolved: { servers: 'x', domains: [[1]] }, networkManager: { configuration: 7 } },
  ],
  [
    'a broken address',
    { resolved: { servers: [[2, 2, ip(1, 2)]], domains: [] }, networkManager: null },
  ],
])('%s: no resolvers', (_what, read) => {
  expect(mergeLinkResolvers(read, interfaces)).toEqual([]);
});

test('a link-local resolver has its link as its zone', () => {
  const local = ip(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
  const fromResolved = { servers: [[2, 10, local, 0, '']], domains: null };
  const onLink = { nameservers: ['fe80::1', 'fe80::2%wlan0'], interface: 'wlan0' };
  const links = mergeLinkResolvers(
    { resolved: fromResolved, networkManager: { configuration: [onLink] } },
    interfaces,
  );
  expect(links.map(({ servers }) => servers)).toEqual([
    ['[fe80::1%eth0]:53'],
    ['[fe80::1%wlan0]:53', '[fe80::2%wlan0]:53'],
  ]);
});
