/** A stay on a network, from joining to leaving. Learning more about the network does not end it. */
import type { DefaultRoute } from './kernel-network.ts';
import { continues, identify, type NetworkIdentity } from './network-identity.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';

export interface NetworkStay {
  /** a new number for every stay */
  number: number;
  identity: NetworkIdentity;
  /**
   * The id under which connections, tickets and cache are kept, so that stays share them only where that is safe. It never
   * changes during a stay: it is the network's id, or, where that was only a guess at first, an id of this stay alone.
   */
  partition: string;
}

export function stayAfter(before: NetworkStay | null, snapshot: NetworkSnapshot): NetworkStay {
  const identity = identify(snapshot);
  if (before !== null && continues(before.identity, identity)) return { ...before, identity };
  const number = (before?.number ?? 0) + 1;
  const partition = identity.settled ? identity.id : `${identity.id}-${number}`;
  return { number, identity, partition };
}

/**
 * Whether earlier connections are dead now: the best route of a family leads elsewhere, tunnels included, or an address of its
 * interface is gone.
 */
export function pathChanged(before: NetworkSnapshot, now: NetworkSnapshot): boolean {
  return ([4, 6] as const).some((family) => {
    const [old, next] = [bestRoute(before, family), bestRoute(now, family)];
    if (old === undefined) return false;
    if (old.gateway !== next?.gateway || old.interfaceIndex !== next.interfaceIndex) return true;
    const kept = new Set(addressesOf(now, old.interfaceIndex, family));
    return addressesOf(before, old.interfaceIndex, family).some((ip) => !kept.has(ip));
  });
}

function bestRoute({ interfaces, defaultRoutes }: NetworkSnapshot, family: 4 | 6) {
  const running = (route: DefaultRoute) =>
    interfaces.some(({ index, running }) => index === route.interfaceIndex && running);
  return defaultRoutes
    .filter((route) => route.family === family && running(route))
    .toSorted((one, other) => one.metric - other.metric)[0];
}

function addressesOf({ interfaces }: NetworkSnapshot, index: number, family: 4 | 6): string[] {
  const addresses = interfaces.find((link) => link.index === index)?.addresses ?? [];
  return addresses.map(({ ip }) => ip).filter((ip) => ip.includes(':') === (family === 6));
}
