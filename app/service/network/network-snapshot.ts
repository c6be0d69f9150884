/**
 * The network at one moment: the kernel's view, and the resolvers of links as the programs report them that configure the
 * links.
 */
import type { KernelSnapshot } from './kernel-network.ts';

/** Resolvers and domains of one link. */
export interface LinkResolvers {
  /** null: of no particular link */
  interface: string | null;
  /** "ip:port" each */
  servers: string[];
  domains: LinkDomain[];
  vpn: boolean;
  source: 'resolved' | 'network-manager';
  /** what NetworkManager knows of a link whose resolvers resolved was told, too */
  byManager?: Pick<LinkResolvers, 'servers' | 'domains'>;
}

export interface LinkDomain {
  /** without the last dot; empty for the root */
  name: string;
  /** names below it go to this link, but it is not appended to single labels */
  routeOnly: boolean;
}

export type NetworkSnapshot = KernelSnapshot & { links: LinkResolvers[] };

export const emptySnapshot: NetworkSnapshot = {
  interfaces: [],
  defaultRoutes: [],
  networkChanges: 0,
  links: [],
};
