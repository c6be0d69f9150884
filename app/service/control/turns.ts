/**
 * Which of many waiting requests is begun next: that of the account that has kept the service busy least; of its connections,
 * that of the one that will have done so least once this request is done, among those that read their replies. Waiting counts
 * in favour of a connection, because a client that connects anew for each request would always come before one that stays. One
 * request is begun in each round of the event loop, so that new ones are seen between two of them.
 */
import type { Seat } from './connection-seats.ts';

type Spender = Pick<Seat, 'spent' | 'reads'>;

interface Request {
  begin(): void;
  /** milliseconds that such a request takes */
  costs: number;
}

interface Queue {
  requests: Request[];
  /** when the present first request became the first */
  since: number;
}

/** This many milliseconds of waiting make up for one in which the service was busy. */
const waitedForOne = 100;

export class Turns {
  readonly #later: (work: () => void) => void;
  readonly #now: () => number;
  /** By connection, in the order in which their first requests came. */
  readonly #waiting = new Map<Spender, Queue>();
  readonly #left = new WeakSet<Spender>();
  #running = false;

  /** `later` runs its work once, in the next round. */
  constructor(
    later: (work: () => void) => void = setImmediate,
    now: () => number = () => performance.now(),
  ) {
    this.#later = later;
    this.#now = now;
  }

  /** Resolves when it is its turn; never, once the connection has ended. `costs`: the expected milliseconds. */
  take(spender: Spender, costs = 0): Promise<void> {
    return new Promise((begin) => {
      if (this.#left.has(spender)) return;
      const mine = this.#waiting.get(spender);
      const request = { begin, costs };
      if (mine !== undefined) mine.requests.push(request);
      else this.#waiting.set(spender, { requests: [request], since: this.#now() });
      this.again();
    });
  }

  /** The connection has ended, so its requests are dropped. */
  leave(spender: Spender): void {
    this.#left.add(spender);
    this.#waiting.delete(spender);
  }

  /** A client may have read the replies that kept it waiting. */
  again(): void {
    if (this.#running || this.#waiting.size === 0) return;
    this.#running = true;
    this.#later(() => this.#next());
  }

  #next(): void {
    const now = this.#now();
    const spender = firstOf(this.#waiting, now);
    if (spender === null) {
      this.#running = false;
      return;
    }
    const [request, ...others] = this.#waiting.get(spender)?.requests ?? [];
    this.#waiting.delete(spender);
    if (others.length > 0) this.#waiting.set(spender, { requests: others, since: now });
    request?.begin();
    this.#later(() => this.#next());
  }
}

/** Among equals the first to come; null: no client reads. */
function firstOf(waiting: ReadonlyMap<Spender, Queue>, now: number): Spender | null {
  let first: Spender | null = null;
  let best = { account: Number.POSITIVE_INFINITY, request: 0 };
  for (const [spender, { requests, since }] of waiting) {
    if (!spender.reads()) continue;
    const { account, connection } = spender.spent(now);
    const request = connection + (requests[0]?.costs ?? 0) - (now - since) / waitedForOne;
    if (account > best.account) continue;
    if (account === best.account && request >= best.request) continue;
    first = spender;
    best = { account, request };
  }
  return first;
}
