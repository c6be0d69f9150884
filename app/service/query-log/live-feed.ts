/** What a follower receives, and how often: at most ten times a second, and each time no more than a person can look at. */
import type { QueryEvent } from '../../contract/query-log/query-event.ts';

export const liveEveryMs = 100;
/** Ten thousand a second. A person could not read more. */
export const mostAtOnce = 1_000;

export interface LiveSurroundings {
  wanted(event: QueryEvent): boolean;
  send(events: QueryEvent[], leftOut: number): void;
  /** Runs `work` once after so long. The function returned cancels it. */
  later(milliseconds: number, work: () => void): () => void;
}

export class LiveFeed {
  readonly #around: LiveSurroundings;
  #events: QueryEvent[] = [];
  #leftOut = 0;
  #endPause: (() => void) | null = null;

  constructor(around: LiveSurroundings) {
    this.#around = around;
  }

  /** The first events go out at once, so that a single query is shown as it comes. */
  offer(events: readonly QueryEvent[], leftOut: number): void {
    this.#leftOut += leftOut;
    for (const event of events) {
      if (!this.#around.wanted(event)) continue;
      if (this.#events.length < mostAtOnce) this.#events.push(event);
      else this.#leftOut += 1;
    }
    if (this.#endPause === null) this.#tell();
  }

  close(): void {
    this.#endPause?.();
    this.#endPause = null;
    this.#events = [];
  }

  #tell(): void {
    this.#endPause = null;
    if (this.#events.length === 0 && this.#leftOut === 0) return;
    this.#around.send(this.#events, this.#leftOut);
    this.#events = [];
    this.#leftOut = 0;
    this.#endPause = this.#around.later(liveEveryMs, () => this.#tell());
  }
}
