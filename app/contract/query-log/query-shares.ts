/** The outcomes of queries, as shares of them: one rule for page, tray and command line. */

import type { QueryTally, ServiceStats } from '../status/service-stats.ts';
import { shareOf } from '../text/quantity.ts';

export function queriesOf(outcomes: ServiceStats['outcomes']): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

/** A share of all queries; null where there were none. An expired response came from the cache, too. */
export function shareFromCache(outcomes: ServiceStats['outcomes']): number | null {
  return shareOf((outcomes.cached ?? 0) + (outcomes.stale ?? 0), queriesOf(outcomes));
}

/** Shares of the forwarded queries; null where there were none. */
export function costShares(costs: QueryTally['costs']): QueryTally['costs'] | null {
  const { reused, resumed, cold, queued } = costs;
  const all = reused + resumed + cold + queued;
  if (all === 0) return null;
  return { reused: reused / all, resumed: resumed / all, cold: cold / all, queued: queued / all };
}
