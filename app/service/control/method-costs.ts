/** How long the service was lately busy with a request of each method, until the request first had to wait. */
import type { MethodName } from '../../contract/service-api.ts';

/** The share that the newest request has in the average. */
const weight = 1 / 8;

export class MethodCosts {
  readonly #milliseconds = new Map<MethodName, number>();

  /** 0: unknown yet. */
  of(name: MethodName): number {
    return this.#milliseconds.get(name) ?? 0;
  }

  learn(name: MethodName, milliseconds: number): void {
    const before = this.#milliseconds.get(name) ?? milliseconds;
    this.#milliseconds.set(name, before + weight * (milliseconds - before));
  }
}
