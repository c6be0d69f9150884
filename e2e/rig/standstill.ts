/**
 * How long this process stood still meanwhile, because the machine is busy or was stopped altogether: a timer that is due again and
 * again comes so much too late.
 */
const everyMs = 20;
/** what a busy machine is late without standing still */
const usualMs = 30;

export class Standstill {
  readonly #timer: NodeJS.Timeout;
  #allMs = 0;
  #longestMs = 0;

  constructor() {
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const late = now - last - everyMs;
      last = now;
      if (late < usualMs) return;
      this.#allMs += late;
      this.#longestMs = Math.max(this.#longestMs, late);
    }, everyMs).unref();
  }

  /** Since this began: all times together, and the longest. */
  end(): { allMs: number; longestMs: number } {
    clearInterval(this.#timer);
    return { allMs: this.#allMs, longestMs: this.#longestMs };
  }
}
