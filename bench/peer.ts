/** A program that is measured. What differs between peers is how each is told the same thing. */
import type { Program } from '../e2e/rig/process.ts';

export interface Peer {
  readonly id: string;
  readonly title: string;
  /** `floor` marks what no real program can reach; it is shown and never counted as the best */
  readonly kind: 'ours' | 'peer' | 'floor';
  readonly caches: boolean;
  readonly forwards: boolean;
  /** it speaks DNS over HTTPS and no DNS over TLS */
  readonly overHttps?: true;
  /** what a reader must know to judge the figures: threads, cache, departures from the default */
  readonly setup: string;
  /** Makes it ready to be started; the reason where that is impossible. */
  provide(): Promise<string | null>;
  version(): Promise<string>;
  start(place: Place): Promise<Program>;
  /** where it keeps a log: entries written, of those there should be, since it was started */
  logged?(place: Place): Promise<LogCount>;
}

/** Where one run of a program takes place; nothing is left there from an earlier run. */
export interface Place {
  directory: string;
  /** on 127.0.0.1, UDP */
  port: number;
  upstream: TrustedServer;
}

export interface LogCount {
  written: number;
  due: number;
}

/** DNS over TLS, answering every name. */
export interface TrustedServer {
  address: string;
  port: number;
  /** of DNS over HTTPS, where there is that, too */
  httpsPort?: number;
  name: string;
  /** PEM file with the certificate to trust */
  ca: string;
}

/** What every cache is asked to hold: the default of ours. */
export const cacheEntries = 100_000;
