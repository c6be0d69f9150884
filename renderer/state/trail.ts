/** The last minute of figures, second by second, for sparklines. */
import { addedSince, percentile } from '../../app/contract/status/latency-histogram.ts';
import type { ServiceStats } from '../../app/contract/status/service-stats.ts';
import { createStore, type Readable } from './store.ts';
import type { Topic } from './topic.ts';

export interface Trail {
  /** median milliseconds of forwarded queries in that second, oldest first; null: there were none */
  median: readonly (number | null)[];
  /** by the upstream's id: its latest round trip at that second */
  upstreams: ReadonlyMap<string, readonly (number | null)[]>;
}

const longest = 60;
const nothing: Trail = { median: [], upstreams: new Map() };

export function extendTrail(trail: Trail, before: ServiceStats | null, now: ServiceStats): Trail {
  // Another run of the service counts from zero.
  const since = before?.startedAt === now.startedAt ? before : null;
  const added =
    since?.tally && now.tally ? addedSince(since.tally.forwarded, now.tally.forwarded) : [];
  const upstreams = now.upstreams.map(({ id, rttMs }) => {
    return [id, append(trail.upstreams.get(id) ?? [], rttMs)] as const;
  });
  return { median: append(trail.median, percentile(added, 0.5)), upstreams: new Map(upstreams) };
}

export function followTrail(stats: Topic<ServiceStats>): Readable<Trail> {
  const store = createStore(nothing);
  let last: ServiceStats | null = null;
  let following = false;
  return {
    get: store.get,
    subscribe(listener) {
      if (!following) {
        following = true;
        stats.subscribe(() => {
          const now = stats.get()?.value ?? null;
          if (now !== null) store.set(extendTrail(store.get(), last, now));
          last = now;
        });
      }
      return store.subscribe(listener);
    },
  };
}

function append(values: readonly (number | null)[], value: number | null) {
  return [...values, value].slice(-longest);
}
