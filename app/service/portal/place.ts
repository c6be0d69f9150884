/** The network on which a login would take place: the link that leads out of this machine, tunnels aside. Pure. */

import { canonicalIp, isLoopback } from '../network/ip-address.ts';
import type { DefaultRoute } from '../network/kernel-network.ts';
import type { NetworkSnapshot } from '../network/network-snapshot.ts';
import { prefixHolds } from '../network/prefix.ts';

export interface Place {
  interface: string;
  index: number;
  gateways: string[];
  /** this machine's own addresses on that link, by family; null: none */
  local: { 4: string | null; 6: string | null };
  /** "ip:port" each, as the link's configuration has them; empty: they are unknown */
  resolvers: string[];
  /** every address of this machine */
  own: string[];
  /** prefixes of other links, for which this network must not answer */
  elsewhere: { ip: string; prefixLength: number }[];
}

/** It is asked for every second, and a snapshot never changes. */
const known = new WeakMap<NetworkSnapshot, Place | null>();

/** Null: no link leads out. */
export function placeOf(snapshot: NetworkSnapshot): Place | null {
  const before = known.get(snapshot);
  if (before !== undefined) return before;
  const place = findPlace(snapshot);
  known.set(snapshot, place);
  return place;
}

function findPlace(snapshot: NetworkSnapshot): Place | null {
  const { interfaces, links } = snapshot;
  const route = wayOut(snapshot);
  const link = interfaces.find(({ index }) => index === route?.interfaceIndex);
  if (route === undefined || link === undefined) return null;
  const routes = snapshot.defaultRoutes.filter(
    ({ interfaceIndex }) => interfaceIndex === link.index,
  );
  const told = links.filter((one) => one.interface === link.name).flatMap((one) => one.servers);
  const ips = link.addresses.map(({ ip }) => canonicalIp(ip));
  return {
    interface: link.name,
    index: link.index,
    gateways: routes.flatMap(({ gateway }) => (gateway === null ? [] : [canonicalIp(gateway)])),
    local: {
      4: ips.find((ip) => !ip.includes(':')) ?? null,
      6: ips.find((ip) => ip.includes(':') && !/^fe[89ab]/.test(ip)) ?? null,
    },
    resolvers: told.filter((server) => !isLoopback(server.replace(/^\[|\]:\d+$|:\d+$/g, ''))),
    own: interfaces.flatMap(({ addresses }) => addresses.map(({ ip }) => canonicalIp(ip))),
    elsewhere: interfaces
      .filter(({ index, kind }) => index !== link.index && kind !== 'loopback')
      .flatMap(({ addresses }) => addresses)
      .filter((other) => !link.addresses.some((own) => sharesPrefix(own, other))),
  };
}

function wayOut({ interfaces, defaultRoutes }: NetworkSnapshot): DefaultRoute | undefined {
  const kindOf = ({ interfaceIndex }: DefaultRoute) =>
    interfaces.find(({ index, running }) => index === interfaceIndex && running)?.kind;
  return defaultRoutes
    .filter((route) => {
      const kind = kindOf(route);
      return kind !== undefined && kind !== 'tunnel' && kind !== 'loopback';
    })
    .toSorted((one, other) => one.metric - other.metric || one.family - other.family)[0];
}

function sharesPrefix(
  own: { ip: string; prefixLength: number },
  other: { ip: string; prefixLength: number },
): boolean {
  return prefixHolds(own.ip, own.prefixLength, other.ip);
}
