/**
 * One way of telling a system whom to ask. Looking is anybody's right and changes nothing; what changes something is done by
 * whoever may (on Linux sotto-helper, which writes down the undo first).
 */
import type { Result } from '../../contract/errors.ts';
import type { SystemDnsMechanism } from '../../contract/system/system-dns.ts';

export interface Mechanism {
  readonly name: SystemDnsMechanism;
  /** each network link is told for itself */
  readonly perLink: boolean;
  /** servers may have a port besides 53 */
  readonly anyPort: boolean;
  look(): Promise<Observation>;
  /** What it was told by us, in this life or an earlier one. */
  holdings(): Promise<Result<Holding[]>>;
  /** Telling it the same again does no harm. */
  take(target: Target, servers: readonly ServerAddress[]): Promise<Result<null>>;
  /** As it was before, unless somebody else has changed it since. */
  giveBack(link: LinkRef | null): Promise<Result<null>>;
  /** Answers that it keeps itself are forgotten. */
  flush(): Promise<Result<null>>;
  /**
   * Whether somebody else is asked in place of this, as far as can be seen without asking anybody: sooner than `holdings` knows,
   * and it may be a moment old. Absent: nothing can be seen.
   */
  leadsAway?(held: readonly Holding[]): boolean;
  /** What it was told may be gone; the function returned ends the listening. */
  follow(listener: () => void): () => void;
}

export interface Observation {
  usable: boolean;
  /** what was seen, in one sentence */
  why: string;
}

export interface LinkRef {
  index: number;
  name: string;
}

/** What is told, and which domains are searched there; null: those that were before. */
export interface Target {
  /** null: the system as a whole */
  link: LinkRef | null;
  search: readonly string[] | null;
}

/** In place of a link where none was named: refused by whoever looks it up. */
export const noLink: LinkRef = { index: 0x7fffffff, name: 'none' };

export interface ServerAddress {
  address: string;
  port: number;
}

export interface Holding {
  link: LinkRef | null;
  servers: ServerAddress[];
  search: string[] | null;
  /** unix milliseconds */
  since: number;
  /** null: nobody could be asked */
  inPlace: boolean | null;
  before: Before;
  /** no link of this boot: what every link leads to from the start of the next one */
  overBoot?: true;
}

/** What the system had of its own. */
export interface Before {
  /** "ip:port" each */
  servers: string[];
  domains: { name: string; routeOnly: boolean }[];
}
