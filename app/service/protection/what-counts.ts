/**
 * The part of the engine's condition on which decisions depend. Where that did not change, nothing follows from a change: a
 * connection that ends, is dialled and is open again makes three changes, and its upstream is as private as before. Pure.
 */

import type { EngineStatus, EngineUpstreamStatus } from '../engine/boundary.ts';
import { isOpen, reach } from './group-path.ts';

/** `seen`: the upstreams as the groups see them. Equal texts mean that nothing has changed that counts. */
export function whatCounts(
  { holding, clear }: Pick<EngineStatus, 'holding' | 'clear'>,
  seen: readonly EngineUpstreamStatus[],
  proved: boolean,
): string {
  const waiting = holding > 0;
  const upstreams = seen.map((upstream) => {
    const { id, state, lastError } = upstream;
    if (reach(upstream) !== 'reachable') return [id, state, reach(upstream), lastError];
    return [id, waiting && isOpen(upstream)];
  });
  const over = clear.filter(({ ended }) => ended).map(({ entry }) => entry);
  return JSON.stringify([proved, waiting, over, upstreams]);
}
