import { expect, test } from 'vitest';
import { someSnapshot } from './fake-network-watch.ts';
import { emptySnapshot, type NetworkSnapshot } from './network-snapshot.ts';
import { pathChanged, stayAfter } from './network-stay.ts';

const home = someSnapshot();
const unknown = someSnapshot({ gatewayMac: null });

test('what is learned does not end a stay, nor change what it is kept under', () => {
  const arrived = stayAfter(null, unknown);
  const known = stayAfter(arrived, home);
  expect(known.number).toBe(arrived.number);
  expect(known.partition).toBe(arrived.partition);
  expect(known.identity.settled).toBe(true);
  expect(known.identity.id).not.toBe(arrived.identity.id);
});

test('a guess is shared with no other stay', () => {
  const first = stayAfter(null, unknown);
  const second = stayAfter(stayAfter(first, emptySnapshot), unknown);
  expect(second.identity.id).toBe(first.identity.id);
  expect(second.partition).not.toBe(first.partition);
});

test('a network known at once is the same one again', () => {
  const first = stayAfter(null, home);
  const between = stayAfter(first, emptySnapshot);
  const again = stayAfter(between, home);
  expect(between.partition).toBe('none');
  expect(again.number).toBe(first.number + 2);
  expect(again.partition).toBe(first.identity.id);
});

function viaTunnel(snapshot: NetworkSnapshot): NetworkSnapshot {
  const [link] = snapshot.interfaces;
  const [route] = snapshot.defaultRoutes;
  if (link === undefined || route === undefined) throw new Error('someSnapshot has both');
  return {
    ...snapshot,
    interfaces: [link, { ...link, index: 9, name: 'tun0', kind: 'tunnel' }],
    defaultRoutes: [route, { ...route, interfaceIndex: 9, interface: 'tun0', metric: 0 }],
  };
}

test.each<[string, NetworkSnapshot, NetworkSnapshot, boolean]>([
  ['nothing', home, someSnapshot(), false],
  ['the hardware address', unknown, home, false],
  ['our address', home, someSnapshot({ address: '192.0.2.9' }), true],
  ['the gateway', home, someSnapshot({ gateway: '192.0.2.254' }), true],
  ['a VPN comes', home, viaTunnel(home), true],
  ['a VPN goes', viaTunnel(home), home, true],
  ['the network goes', home, emptySnapshot, true],
  ['a network comes', emptySnapshot, home, false],
])('connections made before are dead: %s', (_what, before, now, dead) => {
  expect(pathChanged(before, now)).toBe(dead);
});
