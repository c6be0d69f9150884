/** What is known about a login that the network wants: docs/design/portals.md. */

export interface PortalFacts {
  /** it wants one, and no person has set that aside */
  found: boolean;
  /** the first look since no private path stands is under way */
  looking: boolean;
  login: LoginFacts | null;
  /**
   * the resolvers that get queries about it, "ip:port" each, and the probes' names, which no program asked for; null: no such
   * queries
   */
  asks: { resolvers: string[]; probes: string[] } | null;
}

export interface LoginFacts {
  /** where it was begun */
  network: string;
  networkLabel: string;
  /** the one name that every program may look up; empty: only the login's own port may */
  site: string;
  reason: string;
  who: string;
  /** unix milliseconds */
  until: number;
}

export const noPortal: PortalFacts = { found: false, looking: false, login: null, asks: null };
