/** How long the service was busy with somebody lately: each second halves what was. */

const halfMs = 1000;

export class Spending {
  #milliseconds = 0;
  #added = performance.now();

  add(milliseconds: number): void {
    const now = performance.now();
    this.#milliseconds = this.at(now) + milliseconds;
    this.#added = now;
  }

  /** Milliseconds until hardly one counts any more. */
  forgottenIn(): number {
    return halfMs * Math.log2(Math.max(1, this.at(performance.now())));
  }

  /** Milliseconds, as they count at that moment of performance.now(). Two can be compared at the same moment only. */
  at(moment: number): number {
    return this.#milliseconds * 0.5 ** ((moment - this.#added) / halfMs);
  }
}
