/** How long the service was busy with somebody lately: each second halves what was. */

const halfMs = 1000;

export class Spending {
  #milliseconds = 0;
  #at = performance.now();

  add(milliseconds: number): void {
    this.#milliseconds = this.now() + milliseconds;
  }

  now(): number {
    const now = performance.now();
    this.#milliseconds *= 0.5 ** ((now - this.#at) / halfMs);
    this.#at = now;
    return this.#milliseconds;
  }
}
