/** A program that is measured. Peers differ in how the same settings are given to them. */
import type { Program } from '../e2e/rig/process.ts';

export interface Peer {
  readonly id: string;
  readonly title: string;
  /** `floor`: no real program can reach it; it is shown, but never counts as the best */
  readonly kind: 'ours' | 'earlier' | 'peer' | 'floor';
  readonly caches: boolean;
  readonly forwards: boolean;
  /** it speaks DNS over HTTPS and no DNS over TLS */
  readonly overHttps?: true;
  /** what readers must know to judge the figures: threads, cache, settings that are not the default */
  readonly setup: string;
  /** Makes it ready to start; the reason where that is impossible. */
  provide(): Promise<string | null>;
  version(): Promise<string>;
  start(place: Place): Promise<Program>;
  /** for a program with a log: entries written since its start, of how many */
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

/** DNS over TLS, with a response for every name. */
export interface TrustedServer {
  address: string;
  port: number;
  /** of DNS over HTTPS, where there is that, too */
  httpsPort?: number;
  name: string;
  /** PEM file with the certificate to trust */
  ca: string;
}

/** The size that every cache is set to: Sotto's default. */
export const cacheEntries = 100_000;
