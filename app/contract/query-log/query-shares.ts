/** What became of the queries, as shares of them: one rule for every face. */

import type { QuestionTally, ServiceStats } from '../status/service-stats.ts';
import { shareOf } from '../text/quantity.ts';

export function queriesOf(outcomes: ServiceStats['outcomes']): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

/** Of all queries; null where there were none. An answer that had expired came from the cache, too. */
export function shareFromCache(outcomes: ServiceStats['outcomes']): number | null {
  return shareOf((outcomes.cached ?? 0) + (outcomes.stale ?? 0), queriesOf(outcomes));
}

/** Of those that were forwarded; null where there were none. */
export function costShares(costs: QuestionTally['costs']): QuestionTally['costs'] | null {
  const { reused, resumed, cold, queued } = costs;
  const all = reused + resumed + cold + queued;
  if (all === 0) return null;
  return { reused: reused / all, resumed: resumed / all, cold: cold / all, queued: queued / all };
}
