/** The service's counts as figures for people and scripts: shares, percentiles, and the difference between two moments. */

import { type Outcome, outcomes } from '../../contract/engine-words.ts';
import { queriesOf } from '../../contract/query-log/query-shares.ts';
import { addedSince, type Histogram, percentile } from '../../contract/status/latency-histogram.ts';
import type { QueryTally, ServiceStats } from '../../contract/status/service-stats.ts';

export interface Latency {
  /** forwarded queries that were timed */
  count: number;
  /** milliseconds; null where there is none */
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export function latencyOf(times: Histogram): Latency {
  return {
    count: times.reduce((sum, [, count]) => sum + count, 0),
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
  };
}

/** `sotto stats --json` */
export function figuresOf({ tally, ...stats }: ServiceStats) {
  return {
    ...stats,
    queries: queriesOf(stats.outcomes),
    costs: tally?.costs ?? null,
    latency: latencyOf(tally?.forwarded ?? []),
    programs: tally?.programs ?? [],
  };
}

export type Change = ReturnType<typeof changeBetween>;

/** `sotto stats --follow --json`: the difference between two moments, and the memory at the later one. */
export function changeBetween(before: ServiceStats, now: ServiceStats) {
  // A new writer begins at zero.
  const sameTally = before.tally?.since === now.tally?.since ? before.tally : null;
  const came = outcomes.map((outcome): [Outcome, number] => [
    outcome,
    (now.outcomes[outcome] ?? 0) - (before.outcomes[outcome] ?? 0),
  ]);
  return {
    at: now.at,
    seconds: (now.at - before.at) / 1000,
    queries: queriesOf(now.outcomes) - queriesOf(before.outcomes),
    outcomes: Object.fromEntries(
      came.filter(([, count]) => count !== 0),
    ) as ServiceStats['outcomes'],
    costs: now.tally === null ? null : costsSince(sameTally, now.tally),
    latency: latencyOf(addedSince(sameTally?.forwarded ?? [], now.tally?.forwarded ?? [])),
    upstreams: now.upstreams.map(({ id, answered, failed }) => {
      const earlier = before.upstreams.find((upstream) => upstream.id === id);
      return {
        id,
        answered: answered - (earlier?.answered ?? 0),
        failed: failed - (earlier?.failed ?? 0),
      };
    }),
    events: {
      delivered: now.events.delivered - before.events.delivered,
      dropped: now.events.dropped - before.events.dropped,
    },
    memory: now.memory,
  };
}

function costsSince(before: QueryTally | null, now: QueryTally): QueryTally['costs'] {
  const since = (cost: keyof QueryTally['costs']) => now.costs[cost] - (before?.costs[cost] ?? 0);
  return {
    reused: since('reused'),
    resumed: since('resumed'),
    cold: since('cold'),
    queued: since('queued'),
  };
}
