/** The connections of one login's port: how many there may be, and how long each lasts, whatever traffic is on it. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LoginRoute, Refusal } from './login-route.ts';
import { hearErrors } from './meeting.ts';

export interface LoginGuests {
  /** A client that has not shown the password yet. */
  receive<Client extends Duplex>(client: Client): Client;
  /** The client has shown the password. Only the first time counts: a client gains no time by showing it again. */
  admit(client: Duplex): void;
  /** The same route, limited to as many servers at a time as there are guests. */
  bounded(route: LoginRoute): LoginRoute;
  /** Ends all of them, and those that come later. */
  close(): void;
}

/** clients that have shown the password, and as many servers */
const mostGuests = 64;
/** For the next one the oldest goes, so that clients without the password cannot keep the window out. */
const mostStrangers = 64;
/** how long a client may take to send its request and the password; a refused client has no more than this, too */
const greetWithin = 10_000;
const longest = 300_000;

/** includes the one whose arrival ends the oldest */
export const mostConnections = mostGuests + mostStrangers + 1;

export function createLoginGuests(): LoginGuests {
  /** with the timer that ends each of them */
  const open = new Map<Duplex, NodeJS.Timeout>();
  const strangers = new Set<Duplex>();
  const guests = new Set<Duplex>();
  let servers = 0;
  let closed = false;

  function keep<Kind extends Duplex>(one: Kind): Kind {
    hearErrors(one).once('close', () => {
      clearTimeout(open.get(one));
      open.delete(one);
      strangers.delete(one);
      guests.delete(one);
    });
    if (closed) one.destroy();
    return one;
  }

  function endIn(one: Duplex, within: number): void {
    clearTimeout(open.get(one));
    open.set(
      one,
      setTimeout(() => one.destroy(), within),
    );
  }

  async function take(route: LoginRoute, host: string, port: number): Promise<Socket | Refusal> {
    const server = await route.to(host, port);
    if (typeof server === 'string') return server;
    if (server.destroyed) return 'unreachable';
    endIn(server, longest);
    return keep(server);
  }

  return {
    receive(client) {
      const [oldest] = strangers;
      if (strangers.size >= mostStrangers) oldest?.destroy();
      strangers.add(client);
      endIn(client, greetWithin);
      return keep(client);
    },
    admit(client) {
      if (!strangers.delete(client)) return;
      guests.add(client);
      endIn(client, longest);
      if (guests.size > mostGuests) client.destroy();
    },
    bounded: (route) => ({
      async to(host, port) {
        if (servers >= mostGuests) return 'unreachable';
        servers++;
        let server: Socket | Refusal = 'unreachable';
        try {
          server = await take(route, host, port);
          return server;
        } finally {
          if (typeof server === 'string') servers--;
          else server.once('close', () => servers--);
        }
      },
    }),
    close() {
      closed = true;
      for (const one of open.keys()) one.destroy();
    },
  };
}
