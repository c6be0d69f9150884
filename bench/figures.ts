/** The figures that are measured, and their targets. */
import type { LogMode } from './peers/sotto.ts';

export const groups = ['start', 'memory', 'cached', 'sequential', 'forwarded', 'pairs'] as const;
export type Group = (typeof groups)[number];

export type FigureKey =
  | 'start'
  | 'memoryIdle'
  | 'cached'
  | 'cachedCpu'
  | 'memoryFull'
  | 'sequential'
  | 'forwarded'
  | 'forwardedCpu'
  | 'memoryAfter'
  | 'pair';

/** `factor` times the best peer's value, one peer's value, or one unit. */
export interface Target {
  of: 'best peer' | 'unbound' | 'absolute';
  factor: number;
}

export interface Figure {
  key: FigureKey;
  group: Group;
  title: string;
  /** for the table during the run */
  short: string;
  unit: string;
  better: 'more' | 'less';
  digits: number;
  target: Record<LogMode, Target> | null;
}

const both = (target: Target): Record<LogMode, Target> => ({ off: target, full: target });

/** Shares that belong to a run's figures. They do not compare programs, but show whether the figures can be trusted. */
export const shares = {
  upstreamWhileCached: 'sent upstream, cached run',
  upstreamWhileForwarded: 'sent upstream, forwarded run',
  held: 'of 100,000 names still cached',
  loggedWhileCached: 'written to the log, cached run',
  loggedWhileForwarded: 'written to the log, forwarded run',
} as const;
export type ShareKey = keyof typeof shares;

/** In the order in which one program is measured. */
export const figures: readonly Figure[] = [
  {
    key: 'start',
    group: 'start',
    title: 'start to first response',
    short: 'start ms',
    unit: 'ms',
    better: 'less',
    digits: 0,
    target: both({ of: 'absolute', factor: 500 }),
  },
  {
    key: 'memoryIdle',
    group: 'memory',
    title: 'memory, idle',
    short: 'idle MB',
    unit: 'MB',
    better: 'less',
    digits: 1,
    target: both({ of: 'absolute', factor: 60 }),
  },
  {
    key: 'cached',
    group: 'cached',
    title: 'cached responses, one dnsperf thread',
    short: 'cached/s',
    unit: '/s',
    better: 'more',
    digits: 0,
    target: { off: { of: 'best peer', factor: 1.1 }, full: { of: 'best peer', factor: 1 } },
  },
  {
    key: 'cachedCpu',
    group: 'cached',
    title: 'CPU per cached response',
    short: 'µs each',
    unit: 'µs',
    better: 'less',
    digits: 2,
    target: { off: { of: 'unbound', factor: 0.7 }, full: { of: 'unbound', factor: 1 } },
  },
  {
    key: 'memoryFull',
    group: 'memory',
    title: 'memory, 100,000 names queried',
    short: 'full MB',
    unit: 'MB',
    better: 'less',
    digits: 1,
    target: both({ of: 'absolute', factor: 90 }),
  },
  {
    key: 'sequential',
    group: 'sequential',
    title: 'sequential query over warm DoT, mean',
    short: 'seq. µs',
    unit: 'µs',
    better: 'less',
    digits: 1,
    target: both({ of: 'best peer', factor: 1 }),
  },
  {
    key: 'forwarded',
    group: 'forwarded',
    title: 'forwarded responses over DoT',
    short: 'forw./s',
    unit: '/s',
    better: 'more',
    digits: 0,
    target: both({ of: 'best peer', factor: 1.3 }),
  },
  {
    key: 'forwardedCpu',
    group: 'forwarded',
    title: 'CPU per forwarded response',
    short: 'µs each',
    unit: 'µs',
    better: 'less',
    digits: 2,
    target: null,
  },
  {
    key: 'memoryAfter',
    group: 'forwarded',
    title: 'memory after the forwarded run',
    short: 'after MB',
    unit: 'MB',
    better: 'less',
    digits: 1,
    target: null,
  },
  {
    key: 'pair',
    group: 'pairs',
    title: 'A and AAAA at once, over DoT to a server that keeps Nagle on, median',
    short: 'pair µs',
    unit: 'µs',
    better: 'less',
    digits: 0,
    target: both({ of: 'best peer', factor: 1 }),
  },
];
