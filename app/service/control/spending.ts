/** How long the service was lately busy with a client; each second halves the sum. */

const halfMs = 1000;

export class Spending {
  #milliseconds = 0;
  #added = performance.now();

  add(milliseconds: number): void {
    const now = performance.now();
    this.#milliseconds = this.at(now) + milliseconds;
    this.#added = now;
  }

  /** Milliseconds until less than one is left. */
  forgottenIn(): number {
    return halfMs * Math.log2(Math.max(1, this.at(performance.now())));
  }

  /** Milliseconds, as they count at that moment of performance.now(). Only values of the same moment can be compared. */
  at(moment: number): number {
    return this.#milliseconds * 0.5 ** ((moment - this.#added) / halfMs);
  }
}
