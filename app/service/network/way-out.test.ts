import { expect, test } from 'vitest';
import { someSnapshot } from './fake-network-watch.ts';
import { emptySnapshot, type NetworkSnapshot } from './network-snapshot.ts';
import { leadsTo } from './way-out.ts';

const home = someSnapshot();
const noCarrier: NetworkSnapshot = {
  ...home,
  interfaces: home.interfaces.map((link) => ({ ...link, running: false })),
};
const noGateway: NetworkSnapshot = { ...home, defaultRoutes: [] };
const tunnel: NetworkSnapshot = {
  interfaces: [
    {
      index: 9,
      name: 'wg0',
      up: true,
      running: true,
      kind: 'tunnel',
      mac: null,
      addresses: [{ ip: '2001:db8::7', prefixLength: 64 }],
    },
  ],
  defaultRoutes: [
    {
      family: 6,
      gateway: null,
      gatewayMac: null,
      interface: 'wg0',
      interfaceIndex: 9,
      metric: 1,
    },
  ],
  networkChanges: 0,
  links: [],
};

test.each<[string, string, boolean, NetworkSnapshot]>([
  ['a default route', '198.51.100.1', true, home],
  ['a default route without carrier', '198.51.100.1', false, noCarrier],
  ['no link at all', '198.51.100.1', false, emptySnapshot],
  ['no link at all', '2001:db8::1', false, emptySnapshot],
  ['a default route through a tunnel', '198.51.100.1', true, tunnel],
  ['a neighbour on a link without gateway', '192.0.2.99', true, noGateway],
  ['a stranger beyond a link without gateway', '198.51.100.1', false, noGateway],
  ['a neighbour on a link without carrier', '192.0.2.99', false, noCarrier],
  ['an address of our own without carrier', '192.0.2.7', true, noCarrier],
  ['this machine', '127.0.0.53', true, emptySnapshot],
  ['this machine', '::1', true, emptySnapshot],
  ['this machine, in IPv6 clothes', '::ffff:127.0.0.1', true, emptySnapshot],
  ['any address', '0.0.0.0', true, emptySnapshot],
])('%s leads to %s: %s', (_what, address, leads, snapshot) => {
  expect(leadsTo(snapshot, address)).toBe(leads);
});
