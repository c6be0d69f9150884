/** Resolvers of links, as systemd-resolved and NetworkManager report them on the bus: schemas, and one list of both. */

import { isIP } from 'node:net';
import { z } from 'zod';
import { asciiOrSame } from '../../contract/dns/ascii-name.ts';
import { formatSocketAddress } from '../../contract/dns/socket-address.ts';
import { canonicalIp, onLink } from './ip-address.ts';
import type { NetworkInterface } from './kernel-network.ts';
import type { LinkDomain, LinkResolvers } from './network-snapshot.ts';

/** What was read; null where the service is not on the bus. */
export interface OnBus {
  resolved: { servers: unknown; domains: unknown } | null;
  networkManager: { configuration: unknown } | null;
}

export const nothingOnBus: OnBus = { resolved: null, networkManager: null };

type NamedInterface = Pick<NetworkInterface, 'index' | 'name'>;

/** NetworkManager hands its settings to resolved where both run, so resolved decides about a link. */
export function mergeLinkResolvers(
  { resolved, networkManager }: OnBus,
  interfaces: readonly NamedInterface[],
): LinkResolvers[] {
  const fromManager = networkManager === null ? [] : managerLinks(networkManager.configuration);
  if (resolved === null) return fromManager;
  const vpns = new Set(fromManager.filter(({ vpn }) => vpn).map((link) => link.interface));
  const fromResolved = resolvedLinks(resolved, interfaces).map((link) => {
    const vpn = vpns.has(link.interface);
    const known = fromManager.filter((one) => one.interface === link.interface);
    if (known.length === 0) return { ...link, vpn };
    const byManager = together(known);
    // NetworkManager may be kept from telling resolved.
    const { servers } = link.servers.length > 0 ? link : byManager;
    return { ...link, servers, vpn, byManager };
  });
  const told = new Set(fromResolved.map((link) => link.interface));
  return [...fromResolved, ...fromManager.filter((link) => !told.has(link.interface))];
}

/** NetworkManager reports IPv4 and IPv6 of a link one by one. */
function together(links: readonly LinkResolvers[]): Pick<LinkResolvers, 'servers' | 'domains'> {
  const domains = links.flatMap((link) => link.domains);
  return {
    servers: [...new Set(links.flatMap(({ servers }) => servers))],
    domains: [...new Map(domains.map((domain) => [JSON.stringify(domain), domain])).values()],
  };
}

/** a(iiayqs) of DNSEx; a(iiay) of DNS, on resolved before 246: interface, family, address, port, name */
const resolvedServers = z.array(
  z.tuple([z.int(), z.int(), z.array(z.int().min(0).max(255))]).rest(z.unknown()),
);
/** a(isb): interface, domain, whether for routing only */
const resolvedDomains = z.array(z.tuple([z.int(), z.string(), z.boolean()]));

function resolvedLinks(
  { servers, domains }: { servers: unknown; domains: unknown },
  interfaces: readonly NamedInterface[],
): LinkResolvers[] {
  const links = new Map<number, LinkResolvers>();
  const names = new Map(interfaces.map(({ index, name }) => [index, name]));
  function linkOf(index: number): LinkResolvers | null {
    const found = links.get(index);
    if (found !== undefined) return found;
    const name = index === 0 ? null : names.get(index);
    // The link is gone since; the kernel reports that next.
    if (name === undefined) return null;
    const link: LinkResolvers = {
      interface: name,
      servers: [],
      domains: [],
      vpn: false,
      source: 'resolved',
    };
    links.set(index, link);
    return link;
  }
  for (const [index, , octets, port] of resolvedServers.safeParse(servers).data ?? []) {
    const ip = ipOfOctets(octets);
    if (ip !== null)
      linkOf(index)?.servers.push(
        formatSocketAddress(
          onLink(ip, names.get(index)),
          typeof port === 'number' && port > 0 ? port : 53,
        ),
      );
  }
  for (const [index, name, routeOnly] of resolvedDomains.safeParse(domains).data ?? [])
    linkOf(index)?.domains.push({ name: plainDomain(name), routeOnly });
  return [...links.values()];
}

/** aa{sv} of DnsManager.Configuration */
const managerConfiguration = z.array(
  z.looseObject({
    nameservers: z.array(z.string()).default([]),
    domains: z.array(z.string()).default([]),
    interface: z.string().optional(),
    vpn: z.boolean().default(false),
  }),
);

function managerLinks(configuration: unknown): LinkResolvers[] {
  return (managerConfiguration.safeParse(configuration).data ?? []).map((entry) => ({
    interface: entry.interface ?? null,
    // Newer versions may have URIs, such as dns+tls://…; those are ignored.
    servers: entry.nameservers
      .filter((server) => isIP(server) !== 0)
      .map((server) => formatSocketAddress(onLink(canonicalIp(server), entry.interface), 53)),
    domains: entry.domains.map(managerDomain),
    vpn: entry.vpn,
    source: 'network-manager',
  }));
}

/** "~corp.example" routes, "corp.example" is a search domain as well (nm-settings(5), ipv4.dns-search). */
function managerDomain(text: string): LinkDomain {
  const routeOnly = text.startsWith('~');
  return { name: plainDomain(routeOnly ? text.slice(1) : text), routeOnly };
}

function plainDomain(name: string): string {
  return asciiOrSame(name).toLowerCase().replace(/\.$/, '');
}

function ipOfOctets(octets: readonly number[]): string | null {
  if (octets.length === 4) return octets.join('.');
  if (octets.length !== 16) return null;
  const words = Array.from({ length: 8 }, (_, index) =>
    (((octets[index * 2] ?? 0) << 8) | (octets[index * 2 + 1] ?? 0)).toString(16),
  );
  return canonicalIp(words.join(':'));
}
