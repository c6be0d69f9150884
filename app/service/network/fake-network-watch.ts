/** A watch for tests, which set the network. */
import { Listeners } from '../base/listeners.ts';
import { emptySnapshot, type NetworkSnapshot } from './network-snapshot.ts';
import type { NetworkWatch } from './network-watch.ts';

export interface FakeNetworkWatch extends NetworkWatch {
  change(snapshot: NetworkSnapshot): void;
  wake(sleptMs: number): void;
  setClock(byMs: number): void;
  goBlind(why: string | null): void;
}

export function createFakeNetworkWatch(first: NetworkSnapshot = emptySnapshot): FakeNetworkWatch {
  const changed = new Listeners<NetworkSnapshot>();
  const woke = new Listeners<number>();
  const clockSet = new Listeners<number>();
  const blind = new Listeners<string | null>();
  let current = first;
  return {
    current: () => current,
    onChange: (listener) => changed.add(listener),
    onWake: (listener) => woke.add(listener),
    onClockSet: (listener) => clockSet.add(listener),
    onBlind: (listener) => blind.add(listener),
    warn: () => {},
    weHold: () => {},
    close: () => {
      for (const listeners of [changed, woke, clockSet, blind]) listeners.clear();
    },
    change: (snapshot) => {
      current = snapshot;
      changed.tell(snapshot);
    },
    wake: (sleptMs) => woke.tell(sleptMs),
    setClock: (byMs) => clockSet.tell(byMs),
    goBlind: (why) => blind.tell(why),
  };
}

/** At home: one wired link with an IPv4 gateway. */
export function someSnapshot(
  changes: {
    gateway?: string;
    gatewayMac?: string | null;
    address?: string;
    interface?: string;
    networkChanges?: number;
    links?: NetworkSnapshot['links'];
  } = {},
): NetworkSnapshot {
  const {
    gateway = '192.0.2.1',
    gatewayMac = '02:00:5e:00:00:01',
    address = '192.0.2.7',
    interface: name = 'eth0',
    networkChanges = 0,
    links = [],
  } = changes;
  return {
    interfaces: [
      {
        index: 2,
        name,
        up: true,
        running: true,
        kind: 'ethernet',
        mac: '02:00:5e:00:00:07',
        addresses: [{ ip: address, prefixLength: 24 }],
      },
    ],
    defaultRoutes: [
      { family: 4, gateway, gatewayMac, interface: name, interfaceIndex: 2, metric: 100 },
    ],
    networkChanges,
    links,
  };
}
