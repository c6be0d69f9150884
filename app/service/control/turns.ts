/**
 * Whose request is begun next where many wait: of the account that has kept the service busy least, the connection that has,
 * among those that read what they are answered. One is begun in each round of the event loop, so that who comes new is heard between two of them.
 */
import type { Seat } from './connection-seats.ts';

type Spender = Pick<Seat, 'spent' | 'reads'>;

export class Turns {
  readonly #later: (work: () => void) => void;
  /** By connection, in the order in which their first ones came. */
  readonly #waiting = new Map<Spender, (() => void)[]>();
  readonly #left = new WeakSet<Spender>();
  #running = false;

  /** `later` runs its work once, in the next round. */
  constructor(later: (work: () => void) => void = setImmediate) {
    this.#later = later;
  }

  /** Resolves when it is its turn; never, once it has left. */
  take(spender: Spender): Promise<void> {
    return new Promise((begin) => {
      if (this.#left.has(spender)) return;
      const mine = this.#waiting.get(spender);
      if (mine === undefined) this.#waiting.set(spender, [begin]);
      else mine.push(begin);
      this.again();
    });
  }

  /** Its connection has ended: nothing of it waits any more. */
  leave(spender: Spender): void {
    this.#left.add(spender);
    this.#waiting.delete(spender);
  }

  /** Somebody may have read what kept them waiting. */
  again(): void {
    if (this.#running || this.#waiting.size === 0) return;
    this.#running = true;
    this.#later(() => this.#next());
  }

  #next(): void {
    const spender = leastSpent(this.#waiting.keys());
    if (spender === null) {
      this.#running = false;
      return;
    }
    const [begin, ...others] = this.#waiting.get(spender) ?? [];
    this.#waiting.delete(spender);
    if (others.length > 0) this.#waiting.set(spender, others);
    begin?.();
    this.#later(() => this.#next());
  }
}

/** The first of those that come to the same; null: nobody reads. */
function leastSpent(spenders: Iterable<Spender>): Spender | null {
  let least: Spender | null = null;
  let best = { account: Number.POSITIVE_INFINITY, connection: 0 };
  for (const spender of spenders) {
    if (!spender.reads()) continue;
    const spent = spender.spent();
    if (spent.account > best.account) continue;
    if (spent.account === best.account && spent.connection >= best.connection) continue;
    [least, best] = [spender, spent];
  }
  return least;
}
