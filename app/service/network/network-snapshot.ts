/** The network at one moment: what the kernel says, and what whoever configures its links says of their resolvers. */
import type { KernelSnapshot } from './kernel-network.ts';

/** Resolvers and domains of one link. */
export interface LinkResolvers {
  /** null: of no link in particular */
  interface: string | null;
  /** "ip:port" each */
  servers: string[];
  domains: LinkDomain[];
  vpn: boolean;
  source: 'resolved' | 'network-manager';
  /** what NetworkManager knows of a link that resolved was told of as well */
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
