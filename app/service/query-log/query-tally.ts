/** What forwarded queries cost and how long they took, counted as events pass: no names, a few kilobytes, kept without end. */

import { costs, outcomes } from '../../contract/engine-words.ts';
import { bucketCount, bucketOf, longestIn } from '../../contract/status/latency-histogram.ts';
import type { QueryTally as Tally } from '../../contract/status/service-stats.ts';
import type { EventRecord } from '../engine/boundary.ts';

const forwarded = outcomes.indexOf('forwarded');

export class QueryTally {
  readonly #since: number;
  #queries = 0;
  readonly #costs = new Array<number>(costs.length).fill(0);
  readonly #times = new Float64Array(bucketCount);

  constructor(since: number) {
    this.#since = since;
  }

  add({ outcome, cost, total }: EventRecord): void {
    this.#queries += 1;
    if (outcome !== forwarded) return;
    this.#costs[cost] = (this.#costs[cost] ?? 0) + 1;
    const bucket = bucketOf(total);
    this.#times[bucket] = (this.#times[bucket] ?? 0) + 1;
  }

  snapshot(): Tally {
    const count = (cost: (typeof costs)[number]) => this.#costs[costs.indexOf(cost)] ?? 0;
    return {
      since: this.#since,
      queries: this.#queries,
      costs: {
        reused: count('reused'),
        resumed: count('resumed'),
        cold: count('cold'),
        queued: count('queued'),
      },
      forwarded: Array.from(this.#times, (times, bucket): [number, number] => [
        longestIn(bucket),
        times,
      ]).filter(([, times]) => times > 0),
    };
  }
}
