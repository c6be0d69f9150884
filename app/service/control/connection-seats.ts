/**
 * The connections to the control socket, and what each connection and each account uses of the service. The machine's socket is
 * open to every account, and what one account uses is missing for the others.
 */
import type { Socket } from 'node:net';
import { type Result, succeed } from '../../contract/errors.ts';
import type { Role } from '../../contract/service-api.ts';
import { bounds, hardlyAny, tooMany } from './bounds.ts';
import { Spending } from './spending.ts';

type Held = 'subscriptions' | 'works';

/** The place of one connection; it is free again when the connection ends. */
export interface Seat {
  /** Takes one more of these. */
  hold(what: Held): Result<{ end(): void }>;
  /** Adds octets of a request that is not whole. False: they are too many. */
  mayBring(octets: number): boolean;
  /** False: the client reads too little of its notifications. */
  mayTell(): boolean;
  /**
   * Makes room for octets that are about to be sent. If the account has too many unread, it ends those of its connections that
   * read least.
   */
  makeRoom(octets: number): void;
  /** The client has read most of its replies; until then it gets no turn. */
  reads(): boolean;
  /** Adds the time that the service was busy with it. */
  spend(milliseconds: number): void;
  /** How long the service was lately busy with it, in milliseconds, at a moment of performance.now(). */
  spent(moment: number): { account: number; connection: number };
}

export interface Seats {
  take(socket: Socket, role: Role | null, account: number | null): Result<Seat>;
}

/** `onSlow`: a connection with so many unread octets was ended. */
export function createSeats(onSlow: (octets: number) => void): Seats {
  const accounts = new Map<string, Account>();
  let observers = 0;

  /** An account that leaves and comes back keeps what it has spent. */
  function forget(key: string, account: Account): void {
    const again = setTimeout(() => {
      if (account.places.size === 0) accounts.delete(key);
    }, account.spending.forgottenIn());
    again.unref();
  }

  /** Why the account gets no further connection; null: it gets one. */
  function whyFull(observes: boolean, account: Account): Result<never> | null {
    const { ofObserver, ofAllObservers, ofOthers } = bounds.connections;
    const [bound, most] = observes
      ? ['connections.ofObserver', ofObserver]
      : ['connections.ofOthers', ofOthers];
    if (account.places.size >= most) return tooMany(bound, most, 'connections of this account');
    return observes && observers >= ofAllObservers
      ? tooMany('connections.ofAllObservers', ofAllObservers, 'connections that observe')
      : null;
  }

  return {
    take(socket, role, number) {
      const observes = role === null || role === 'observe';
      const key = `${observes ? 'observer' : 'other'} ${number}`;
      const account = accounts.get(key) ?? new Account();
      const full = whyFull(observes, account);
      if (full !== null) return full;
      accounts.set(key, account);
      if (observes) observers++;
      const place = new Place(socket, observes, account, onSlow);
      account.places.add(place);
      socket.once('close', () => {
        account.places.delete(place);
        if (account.places.size === 0) forget(key, account);
        if (observes) observers--;
      });
      return succeed(place);
    },
  };
}

class Account {
  readonly places = new Set<Place>();
  readonly held = { subscriptions: 0, works: 0 };
  readonly spending = new Spending();

  sum(of: (place: Place) => number): number {
    let sum = 0;
    for (const place of this.places) sum += of(place);
    return sum;
  }
}

class Place implements Seat {
  readonly #socket: Socket;
  readonly #observes: boolean;
  readonly #account: Account;
  readonly #onSlow: (octets: number) => void;
  readonly #held = { subscriptions: 0, works: 0 };
  readonly #spending = new Spending();
  #brought = 0;

  constructor(
    socket: Socket,
    observes: boolean,
    account: Account,
    onSlow: (octets: number) => void,
  ) {
    this.#socket = socket;
    this.#observes = observes;
    this.#account = account;
    this.#onSlow = onSlow;
  }

  get #waiting(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength;
  }

  hold(what: Held): Result<{ end(): void }> {
    const [own, all] = [this.#held, this.#account.held];
    const { ofConnection, ofAccount } = bounds[what];
    if (own[what] >= ofConnection)
      return tooMany(`${what}.ofConnection`, ofConnection, `${what} of this connection`);
    if (all[what] >= ofAccount)
      return tooMany(`${what}.ofAccount`, ofAccount, `${what} of this account`);
    own[what]++;
    all[what]++;
    let held = true;
    return succeed({
      end() {
        if (!held) return;
        held = false;
        own[what]--;
        all[what]--;
      },
    });
  }

  mayBring(octets: number): boolean {
    this.#brought = octets;
    const { ofConnection, ofObserver, ofAccount } = bounds.incoming;
    if (octets > (this.#observes ? ofObserver : ofConnection)) return false;
    return octets <= hardlyAny || this.#account.sum((place) => place.#brought) <= ofAccount;
  }

  mayTell(): boolean {
    if (this.#waiting <= hardlyAny) return true;
    const { ofConnection, ofAccount } = bounds.told;
    if (this.#waiting > ofConnection) return false;
    return this.#account.sum((place) => place.#waiting) <= ofAccount;
  }

  makeRoom(octets: number): void {
    const { ofConnection, ofAccount } = bounds.outgoing;
    if (this.#waiting > ofConnection) this.#letGo();
    const isLittle = this.#waiting + octets <= hardlyAny;
    while (!isLittle && this.#account.sum((place) => place.#waiting) + octets > ofAccount) {
      const [slowest] = [...this.#account.places].sort(
        (one, other) => other.#waiting - one.#waiting,
      );
      if (slowest === undefined || slowest.#waiting === 0) return;
      slowest.#letGo();
    }
  }

  reads(): boolean {
    return this.#waiting <= hardlyAny;
  }

  spend(milliseconds: number): void {
    this.#spending.add(milliseconds);
    this.#account.spending.add(milliseconds);
  }

  spent(moment: number): { account: number; connection: number } {
    return { account: this.#account.spending.at(moment), connection: this.#spending.at(moment) };
  }

  #letGo(): void {
    this.#onSlow(this.#waiting);
    this.#socket.destroy();
  }
}
