/**
 * Which network links are to be told our address: all that have resolvers, because a link that is left out sends cleartext
 * queries for its own domains, or for everything. Pure, except that it remembers tunnels: a VPN sets its resolvers and its
 * domains in several steps, and the state that is kept as "before us" should be complete.
 */

import { searchable } from '../../contract/system/helper-protocol.ts';
import type { NetworkInterface } from '../network/kernel-network.ts';
import type { LinkResolvers, NetworkSnapshot } from '../network/network-snapshot.ts';
import type { LinkRef, Target } from './mechanism.ts';

const tunnelRestMs = 2000;

export interface Candidate extends LinkRef {
  search: Target['search'];
}

export interface LinksToTake {
  links: Candidate[];
  /** when to look again, because a tunnel is still being set up; null: none is */
  askAgainAt: number | null;
}

export class LinkChooser {
  /** by name; `since` when it has its present settings, null: long enough, and it stays so */
  readonly #tunnels = new Map<string, { told: string; since: number | null }>();

  choose({ interfaces, defaultRoutes, links }: NetworkSnapshot, now: number): LinksToTake {
    const telling = new Set(
      links.flatMap((link) => (link.servers.length > 0 ? [link.interface] : [])),
    );
    const routes = new Set(defaultRoutes.map((route) => route.interface));
    const asking = interfaces.filter(
      ({ name, kind, up, running }) =>
        kind !== 'loopback' &&
        up &&
        running &&
        (telling.has(name) || (routes.has(name) && !isTunnel(kind))),
    );
    for (const name of this.#tunnels.keys())
      if (!asking.some((each) => each.name === name)) this.#tunnels.delete(name);
    const candidates = asking.map(({ index, name, kind }) => {
      const own = links.filter((link) => link.interface === name);
      return {
        link: { index, name, search: searchIn(own) },
        from: isTunnel(kind) ? this.#restedAt(name, JSON.stringify(own), now) : now,
      };
    });
    const waits = candidates.flatMap(({ from }) => (from > now ? [from] : []));
    return {
      links: candidates.flatMap(({ link, from }) => (from > now ? [] : [link])),
      askAgainAt: waits.length === 0 ? null : Math.min(...waits),
    };
  }

  #restedAt(name: string, told: string, now: number): number {
    const before = this.#tunnels.get(name);
    if (before?.since === null) return now;
    const since = before?.told === told ? before.since : now;
    const rested = since + tunnelRestMs;
    this.#tunnels.set(name, { told, since: rested > now ? since : null });
    return rested;
  }
}

/**
 * What NetworkManager would have searched there, if it were not kept from telling the system; null where it has no part in it.
 */
export function searchIn(links: readonly LinkResolvers[]): Target['search'] {
  const told = links.flatMap((link) =>
    link.source === 'network-manager' ? [link] : (link.byManager ?? []),
  );
  if (told.length === 0) return null;
  const names = told.flatMap(({ domains }) => domains.filter(({ routeOnly }) => !routeOnly));
  return searchable(names.map(({ name }) => name));
}

function isTunnel(kind: NetworkInterface['kind']): boolean {
  return kind === 'tunnel' || kind === 'ppp';
}
