/**
 * Which network a snapshot shows. Gateways, hardware addresses and prefixes can be forged: an identity is a hint, good enough
 * for a stricter policy and for a name, never for trust (effective-policy.ts).
 */

import { createHash } from 'node:crypto';
import type { NetworkHints } from '../../contract/system/network.ts';
import { noNetwork } from '../../contract/system/no-network.ts';
import type { DefaultRoute, NetworkInterface } from './kernel-network.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';
import { prefixHolding } from './prefix.ts';

export interface NetworkIdentity {
  /** twelve hexadecimal digits, or "none" */
  id: string;
  hints: NetworkHints;
  /** "192.0.2.0/24 via 192.0.2.1 on wlan0" */
  label: string;
  /** the gateway's hardware address is known, or there can be none; until then many networks have this id */
  settled: boolean;
  /** one for each family that leads out */
  ways: Way[];
}

export interface Way {
  family: 4 | 6;
  interface: string;
  gateway: string | null;
  gatewayMac: string | null;
  prefix: string | null;
}

export function identify(snapshot: NetworkSnapshot): NetworkIdentity {
  const ways = ([4, 6] as const).flatMap((family) => wayOut(snapshot, family));
  const first = ways[0];
  if (first === undefined) return offline;
  // So far one router may be known to one family only.
  const gatewayMac =
    first.gatewayMac ??
    ways.find((way) => way.interface === first.interface && way.gatewayMac !== null)?.gatewayMac ??
    null;
  const hints = {
    interface: first.interface,
    gateway: first.gateway,
    gatewayMac,
    prefix: first.prefix,
    domain: searchDomain(snapshot, first.interface),
  };
  return {
    id: hash(identifying({ ...first, gatewayMac })),
    hints,
    label: label(first),
    settled: first.gateway === null || gatewayMac !== null,
    ways,
  };
}

/**
 * Whether `next` is the same network as `before`, with more or less known about it: the hardware address was learned, a second
 * family came or went. Everything that both know must agree, and there must be something that both know.
 */
export function continues(before: NetworkIdentity, next: NetworkIdentity): boolean {
  if (before.id === next.id && before.hints.interface === next.hints.interface) return true;
  const shared = before.ways.flatMap((way) => {
    const other = next.ways.find(({ family }) => family === way.family);
    return other === undefined ? [] : [[way, other] as const];
  });
  return shared.length > 0 && shared.every(([way, other]) => agree(way, other));
}

const offline: NetworkIdentity = {
  id: noNetwork,
  hints: { interface: null, gateway: null, gatewayMac: null, prefix: null, domain: null },
  label: 'no network',
  settled: true,
  ways: [],
};

/** The best default route that is no tunnel: a VPN comes and goes on top of a network, and is none itself. */
function wayOut(snapshot: NetworkSnapshot, family: 4 | 6): Way[] {
  const usable = snapshot.defaultRoutes.flatMap((route) => {
    const link = snapshot.interfaces.find(({ index }) => index === route.interfaceIndex);
    const leadsOut = link?.running && link.kind !== 'tunnel' && link.kind !== 'loopback';
    return route.family === family && leadsOut ? [{ route, link }] : [];
  });
  const best = usable.toSorted((one, other) => one.route.metric - other.route.metric)[0];
  return best === undefined ? [] : [wayThrough(best.route, best.link)];
}

function wayThrough(route: DefaultRoute, link: NetworkInterface): Way {
  const { family, gateway, gatewayMac } = route;
  return { family, interface: link.name, gateway, gatewayMac, prefix: prefixHolding(route, link) };
}

/**
 * IPv6 prefixes are left out, because providers renumber them, often daily. The wireless network's name is left out, too: only
 * some systems report it, and the id must not depend on the source.
 */
function identifying({ family, interface: link, gateway, gatewayMac, prefix }: Way): string[] {
  if (gateway === null) return ['link', link];
  const place = family === 4 ? (prefix ?? '') : 'ipv6';
  return gatewayMac === null ? ['gateway', gateway, place] : ['mac', gatewayMac, place];
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}

function label({ interface: link, gateway, prefix }: Way): string {
  const via = gateway === null ? '' : `via ${gateway} `;
  return `${prefix ?? ''} ${via}on ${link}`.trim();
}

function searchDomain({ links }: NetworkSnapshot, link: string): string | null {
  const domains = links.filter((one) => one.interface === link).flatMap(({ domains }) => domains);
  return domains.find(({ name, routeOnly }) => !routeOnly && name !== '')?.name ?? null;
}

function agree(way: Way, other: Way): boolean {
  const macsAgree =
    way.gatewayMac === null || other.gatewayMac === null || way.gatewayMac === other.gatewayMac;
  const prefixesAgree = way.family === 6 || way.prefix === other.prefix;
  return (
    way.interface === other.interface && way.gateway === other.gateway && macsAgree && prefixesAgree
  );
}
