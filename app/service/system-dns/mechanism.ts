/**
 * One way of telling a system which resolver to use. Every user may look, which changes nothing; changes are made by a process
 * that may make them (on Linux sotto-helper, which writes down the undo first).
 */
import type { Result } from '../../contract/errors.ts';
import type { SystemDnsMechanism } from '../../contract/system/system-dns.ts';

export interface Mechanism {
  readonly name: SystemDnsMechanism;
  /** each network link has settings of its own */
  readonly perLink: boolean;
  /** servers may have a port besides 53 */
  readonly anyPort: boolean;
  look(): Promise<Observation>;
  /** What we told it, in this run of the service or an earlier one. */
  holdings(): Promise<Result<Holding[]>>;
  /** To set the same again does no harm. */
  take(target: Target, servers: readonly ServerAddress[]): Promise<Result<null>>;
  /** Restores what was there before, unless another program has changed it since. */
  giveBack(link: LinkRef | null): Promise<Result<null>>;
  /** Empties the mechanism's own cache. */
  flush(): Promise<Result<null>>;
  /**
   * Whether the system uses another resolver, as far as that can be seen without a request: it is known sooner than `holdings`,
   * and may be a moment old. Absent: nothing can be seen.
   */
  leadsAway?(held: readonly Holding[]): boolean;
  /** Calls the listener when what was told may be gone; the function returned ends the listening. */
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

/** Where something is set, and which domains are searched there; null: those that were before. */
export interface Target {
  /** null: the system as a whole */
  link: LinkRef | null;
  search: readonly string[] | null;
}

/** Stands for a missing link; the program that looks it up refuses it. */
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
  /** null: nothing could tell */
  inPlace: boolean | null;
  before: Before;
  /** no link of this boot: the setting that every link has from the start of the next one */
  overBoot?: true;
}

/** The system's own settings. */
export interface Before {
  /** "ip:port" each */
  servers: string[];
  domains: { name: string; routeOnly: boolean }[];
}
