/**
 * The resolvers that links had before they were told to use Sotto: the network's own resolvers, to which queries may go under a
 * lease. Pure.
 */
import type { LinkDomain, LinkResolvers, NetworkSnapshot } from './network-snapshot.ts';

export interface HeldLink {
  /** null: the system as a whole */
  interface: string | null;
  /** "ip:port" each, ours */
  servers: string[];
  before: { servers: string[]; domains: LinkDomain[] };
}

/**
 * A link that names Sotto counts with the resolvers that NetworkManager knows of it, or else with those that it had before, and
 * with the domains that it was given since. Other links count as they are. systemd-resolved attributes a server on a loopback
 * address to the loopback interface, whichever link was told it; such an entry is left out.
 */
export function linksBehindUs(
  links: readonly LinkResolvers[],
  held: readonly HeldLink[],
): LinkResolvers[] {
  const allOurs = new Set(held.flatMap(({ servers }) => servers));
  const isOurs = (server: string) => allOurs.has(server);
  return links.flatMap((link) => {
    const ours = held.find((one) => one.interface !== null && one.interface === link.interface);
    if (ours === undefined)
      return link.servers.length > 0 && link.servers.every(isOurs) ? [] : [link];
    if (link.servers.length > 0 && !link.servers.some(isOurs)) return [link];
    const { servers, domains } = link.byManager ?? ours.before;
    const known = new Set(domains.map(({ name }) => name));
    const since = link.domains.filter(({ name }) => name !== '' && !known.has(name));
    return [{ ...link, servers, domains: [...domains, ...since] }];
  });
}

/** "ip:port" each, of links first, without those of tunnels; null where nothing of the system is held. */
export function resolversBehindUs(
  { interfaces, links }: Pick<NetworkSnapshot, 'interfaces' | 'links'>,
  held: readonly HeldLink[],
): string[] | null {
  if (held.length === 0) return null;
  const tunnels = new Set<string | null>([
    ...interfaces.filter(({ kind }) => kind === 'tunnel').map(({ name }) => name),
    ...links.filter(({ vpn }) => vpn).map((link) => link.interface),
  ]);
  const ours = new Set(held.flatMap(({ servers }) => servers));
  // NetworkManager knows what the network has now; what the link had before may belong to another network.
  const stale = new Set(links.flatMap((link) => (link.byManager ? [link.interface] : [])));
  const before = held.filter((one) => one.interface === null || !stale.has(one.interface));
  const told = [...links, ...before.map(({ before, ...one }) => ({ ...one, ...before }))]
    .filter((one) => !tunnels.has(one.interface))
    .flatMap(({ servers }) => servers);
  return [...new Set(told)].filter((server) => !ours.has(server));
}
