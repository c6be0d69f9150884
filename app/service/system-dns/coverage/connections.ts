/** Connections to resolvers that live when we look. No effects. */
import type { ResolverConnections } from '../../../../native/binding/index.d.ts';
import { formatSocketAddress } from '../../../contract/dns/socket-address.ts';
import { keyOfSender, programOf, type Sender } from './sender.ts';

export interface Connection {
  sender: Sender;
  /** "ip:port" */
  to: string;
  count: number;
  /** when it was first and last seen, at every look in between; unix milliseconds */
  since: number;
  newest: number;
}

/** A connection that lives for two looks is no accident; looks that somebody asked for at once are no two. */
const livesMs = 20_000;
const most = 256;

export class Connections {
  #known = new Map<string, Connection>();

  /** What is not found any more is gone. */
  see(found: readonly ResolverConnections[], now: number): void {
    const seen = new Map<string, Connection>();
    for (const { to: address, port, count, ...holder } of found.slice(0, most)) {
      const sender = programOf(holder);
      const to = formatSocketAddress(address, port);
      const key = `${keyOfSender(sender)} ${to}`;
      const since = this.#known.get(key)?.since ?? now;
      const before = seen.get(key)?.count ?? 0;
      seen.set(key, { sender, to, count: before + count, since, newest: now });
    }
    this.#known = seen;
  }

  list(): Connection[] {
    return [...this.#known.values()];
  }
}

export function lasts({ since, newest }: Connection): boolean {
  return newest - since >= livesMs;
}
