/** The domains that links claim, and the resolvers of links. Pure. */

import { isLinkLocal, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import type { NameClaim } from '../../contract/settings/rule-methods.ts';
import { reaches, withPort } from '../network/ip-address.ts';
import type { LinkResolvers, NetworkSnapshot } from '../network/network-snapshot.ts';

/** A claim without its state. */
export type Claimed = Omit<NameClaim, 'state'>;

type OfLink = LinkResolvers & { interface: string };

/** Links that the kernel has, and that are up; a domain without resolvers is no claim. VPN links first. */
export function linkClaims(snapshot: NetworkSnapshot, listen: readonly string[]): Claimed[] {
  const claims = new Map<string, Claimed>();
  for (const link of livingLinks(snapshot)) {
    const to = foreign(link.servers, listen);
    for (const { name } of to.length === 0 ? [] : link.domains) {
      const key = `${link.interface} ${name}`;
      const known = claims.get(key);
      claims.set(key, {
        suffix: name,
        link: link.interface,
        by: known?.by ?? link.source,
        vpn: (known?.vpn ?? false) || isVpn(snapshot, link),
        to: [...new Set([...(known?.to ?? []), ...to])],
      });
    }
  }
  return [...claims.values()].toSorted((one, other) => Number(other.vpn) - Number(one.vpn));
}

/** ip:port each; never Sotto itself. */
export function resolversOfLink(
  snapshot: NetworkSnapshot,
  name: string,
  listen: readonly string[],
): string[] {
  const links = livingLinks(snapshot).filter((link) => link.interface === name);
  return [...new Set(links.flatMap(({ servers }) => foreign(servers, listen)))];
}

function livingLinks({ interfaces, links }: NetworkSnapshot): OfLink[] {
  const up = new Set(interfaces.flatMap((one) => (one.up ? [one.name] : [])));
  return links.filter((link): link is OfLink => link.interface !== null && up.has(link.interface));
}

function isVpn({ interfaces }: NetworkSnapshot, link: OfLink): boolean {
  const kind = interfaces.find(({ name }) => name === link.interface)?.kind;
  return link.vpn || kind === 'tunnel' || kind === 'ppp';
}

/** Link-local ones mean nothing without their zone. */
export function foreign(servers: readonly string[], listen: readonly string[]): string[] {
  const own = listen.map((address) => withPort(address, 53));
  return servers.filter(
    (server) =>
      (server.includes('%') || !isLinkLocal(parseSocketAddress(server)?.ip ?? '')) &&
      !own.some((address) => reaches(server, address)),
  );
}
