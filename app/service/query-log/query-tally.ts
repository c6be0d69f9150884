/**
 * What forwarded queries cost, how long they took, and how many each program sent, counted as events pass: no queried names, a few
 * kilobytes, kept without end.
 */

import { clientProtocols, costs, outcomes } from '../../contract/engine-words.ts';
import { programName } from '../../contract/query-log/asker-name.ts';
import { bucketCount, bucketOf, longestIn } from '../../contract/status/latency-histogram.ts';
import type { QueryTally as Tally } from '../../contract/status/service-stats.ts';
import type { EventRecord } from '../engine/boundary.ts';

/** A program could start itself under many names; then the one that sent least gives way. */
const mostPrograms = 512;
const mostShown = 20;

const forwarded = outcomes.indexOf('forwarded');
const control = clientProtocols.indexOf('control');

export class QueryTally {
  readonly #since: number;
  #queries = 0;
  readonly #costs = new Array<number>(costs.length).fill(0);
  readonly #times = new Float64Array(bucketCount);
  #forwardedMicroseconds = 0;
  #lastAt: number | null = null;
  readonly #programs = new Map<string, number>();

  constructor(since: number) {
    this.#since = since;
  }

  add(event: EventRecord): void {
    const { outcome, cost, total, clientProtocol } = event;
    this.#queries += 1;
    if (clientProtocol !== control) this.#lastAt = Math.max(this.#lastAt ?? 0, event.at / 1000);
    // Figures are for everybody: they say of whose session a program is no more than that it is one.
    this.#addProgram(programName(event));
    if (outcome !== forwarded) return;
    this.#costs[cost] = (this.#costs[cost] ?? 0) + 1;
    this.#forwardedMicroseconds += total;
    const bucket = bucketOf(total);
    this.#times[bucket] = (this.#times[bucket] ?? 0) + 1;
  }

  #addProgram(program: string): void {
    if (program === '') return;
    const known = this.#programs.get(program);
    if (known === undefined && this.#programs.size >= mostPrograms) this.#dropLeast();
    this.#programs.set(program, (known ?? 0) + 1);
  }

  #dropLeast(): void {
    let least = { program: '', queries: Number.POSITIVE_INFINITY };
    for (const [program, queries] of this.#programs)
      if (queries < least.queries) least = { program, queries };
    this.#programs.delete(least.program);
  }

  /** What was erased, or may not be kept, is not told in figures either. */
  forgetPrograms(): void {
    this.#programs.clear();
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
      forwardedMs: this.#forwardedMicroseconds / 1000,
      lastAt: this.#lastAt,
      programs: [...this.#programs]
        .sort(([, a], [, b]) => b - a)
        .slice(0, mostShown)
        .map(([program, queries]) => ({ program, queries })),
    };
  }
}
