/** What a request of each method has cost lately: how long the service was busy with it. */
import type { MethodName } from '../../contract/service-api.ts';

/** Of what one more says. */
const weight = 1 / 8;

export class MethodCosts {
  readonly #milliseconds = new Map<MethodName, number>();

  /** 0: nobody knows yet. */
  of(name: MethodName): number {
    return this.#milliseconds.get(name) ?? 0;
  }

  learn(name: MethodName, milliseconds: number): void {
    const before = this.#milliseconds.get(name) ?? milliseconds;
    this.#milliseconds.set(name, before + weight * (milliseconds - before));
  }
}
