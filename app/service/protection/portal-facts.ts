/** What is known about a login that the network wants: docs/design/portals.md. */

export interface PortalFacts {
  /** it wants one, and nobody has set that aside */
  found: boolean;
  /** it is being found out for the first time since no private path stands */
  looking: boolean;
  login: LoginFacts | null;
  /** whom to ask about it, "ip:port" each, and for which names of nobody's; null: nothing is asked */
  asks: { resolvers: string[]; probes: string[] } | null;
}

export interface LoginFacts {
  /** where it was begun */
  network: string;
  networkLabel: string;
  /** the one name that every program may ask for; empty: the login's own port asks */
  site: string;
  reason: string;
  who: string;
  /** unix milliseconds */
  until: number;
}

export const noPortal: PortalFacts = { found: false, looking: false, login: null, asks: null };
