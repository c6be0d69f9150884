/** How long this process stood still at most: a timer that comes late says so, whether the machine is busy or stopped altogether. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const everyMs = 20;

export class Standstill {
  readonly #delay = monitorEventLoopDelay({ resolution: everyMs });

  constructor() {
    this.#delay.enable();
  }

  /** Since this began. */
  longestMs(): number {
    return Math.max(0, this.#delay.max / 1e6 - everyMs);
  }
}
