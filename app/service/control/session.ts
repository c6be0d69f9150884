/** One connection as the handlers see it: its account, its notifications, and what it uses of the service. */
import type { Socket } from 'node:net';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import { goOctet } from '../../contract/query-log/poured-text.ts';
import type {
  NotificationName,
  NotificationOf,
  Role,
  ServiceSession,
  Topic,
} from '../../contract/service-api.ts';
import type { Seat } from './connection-seats.ts';

interface SessionParts {
  socket: Socket;
  connection: MessageConnection;
  seat: Seat;
  role: Role;
  person: (() => string) | null;
  account: number | null;
  /** the connection belongs to another part from now on */
  forget(): void;
}

interface Subscription {
  topic: Topic;
  subscription: number | null;
  end(): void;
}

const topicOf: Partial<Record<NotificationName, Topic>> = {
  'status.changed': 'status',
  'stats.changed': 'stats',
  'ledger.changed': 'ledger',
  'log.events': 'log',
};

export class Session implements ServiceSession {
  readonly role: Role;
  readonly #parts: SessionParts;
  readonly #closing = new Set<() => void>();
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(parts: SessionParts) {
    this.role = parts.role;
    this.#parts = parts;
  }

  get account(): number | null {
    return this.#parts.account;
  }

  get who(): string | null {
    return this.#parts.person?.() ?? null;
  }

  /** A client that reads too little of its notifications loses its subscriptions, and the last notification says why. */
  notify<Name extends NotificationName>(name: Name, payload: NotificationOf<Name>): void {
    const { socket, connection, seat } = this.#parts;
    if (socket.destroyed) return;
    if (topicOf[name] !== undefined && !seat.mayTell()) this.#endAll(tooSlow);
    else connection.sendNotification(name, payload).catch(() => socket.destroy());
  }

  subscribe(topic: Topic, begin: () => () => void, subscription?: number): Result<{ end(): void }> {
    const key = `${topic} ${subscription ?? ''}`;
    this.#subscriptions.get(key)?.end();
    const held = this.#parts.seat.hold('subscriptions');
    if (!held.ok) return held;
    const stop = begin();
    const callOff = this.onClose(() => end());
    const end = () => {
      if (!this.#subscriptions.delete(key)) return;
      callOff();
      stop();
      held.value.end();
    };
    this.#subscriptions.set(key, { topic, subscription: subscription ?? null, end });
    return succeed({ end });
  }

  beginWork(): Result<{ end(): void }> {
    return this.#parts.seat.hold('works');
  }

  onClose(listener: () => void): () => void {
    this.#closing.add(listener);
    return () => void this.#closing.delete(listener);
  }

  handOver(take: (connection: unknown) => void): void {
    const { socket, forget } = this.#parts;
    // The reply still goes out; what comes in afterwards is no message.
    socket.removeAllListeners('data');
    socket.once('data', (octets) => {
      this.end();
      const goes = octets.length === 1 && octets[0] === goOctet && !socket.writableEnded;
      if (!goes) return void socket.destroy();
      forget();
      take(socket);
    });
  }

  end(): void {
    this.#parts.connection.dispose();
    for (const listener of [...this.#closing]) listener();
    this.#closing.clear();
  }

  #endAll(failure: Failure): void {
    for (const { topic, subscription, end } of [...this.#subscriptions.values()]) {
      end();
      this.notify('subscription.ended', { topic, subscription, failure });
    }
  }
}

const tooSlow: Failure = fail(
  'too-slow',
  'more was told than was read, so nothing more is told',
  'follow it again',
).failure;
