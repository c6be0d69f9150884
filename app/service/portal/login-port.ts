/**
 * The port of one login, on loopback and for one window. Without the user and the password that were made for it, a client gets
 * no further. It speaks SOCKS 5 and, as an HTTP proxy, HTTP; the first octet tells which.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { messageOf } from '../base/errno-words.ts';
import { createHttpProxy } from './http-proxy.ts';
import { createLoginGuests, mostConnections } from './login-guests.ts';
import type { LoginRoute } from './login-route.ts';
import { hearErrors } from './meeting.ts';
import { octetsOf } from './octets.ts';
import { serveSocks, version } from './socks5.ts';

export interface LoginPort {
  host: string;
  port: number;
  user: string;
  password: string;
  /** Ends open connections, too. */
  close(): void;
}

const host = '127.0.0.1';

/** `onMovement`: the network sent something. */
export async function openLoginPort(
  route: LoginRoute,
  onMovement: () => void,
): Promise<Result<LoginPort>> {
  const [user, password] = [randomBytes(8).toString('hex'), randomBytes(24).toString('base64url')];
  const isRight = (givenUser: string, givenPassword: string) =>
    isEqual(`${givenUser}\n${givenPassword}`, `${user}\n${password}`);
  const guests = createLoginGuests();

  function join(client: Duplex, server: Socket): void {
    if (client.destroyed || server.destroyed) {
      client.destroy();
      server.destroy();
      return;
    }
    server.on('data', onMovement);
    server.pipe(client).once('close', () => server.destroy());
    // What came before the server's end is still on its way to the client.
    client.pipe(server).once('close', () => {
      if (!client.writableEnded) client.destroy();
    });
  }

  const bounded = guests.bounded(route);
  const moving: LoginRoute = {
    async to(name, port) {
      const server = await bounded.to(name, port);
      if (typeof server !== 'string') onMovement();
      return server;
    },
  };
  const party = { route: moving, isRight, onAdmitted: guests.admit, join };
  const proxy = createHttpProxy(party);

  async function greet(client: Socket): Promise<void> {
    const octets = octetsOf(client);
    const [first = 0] = await octets.take(1);
    if (first === version) {
      const server = await serveSocks(client, octets, party);
      octets.release();
      if (server !== null) join(client, server);
    } else {
      octets.release();
      client.unshift(Buffer.from([first]));
      proxy.emit('connection', client);
      client.resume();
    }
  }

  const listener = hearErrors(
    createServer({ noDelay: true }, (client) => {
      greet(guests.receive(client)).catch(() => client.destroy());
    }),
  );
  listener.maxConnections = mostConnections;
  listener.listen(0, host);
  try {
    await once(listener, 'listening');
  } catch (error) {
    const why = messageOf(error);
    return fail('listen-failed', `no port can be had on ${host}: ${why}`, 'try again', host);
  }
  const { port } = listener.address() as AddressInfo;
  return succeed({
    host,
    port,
    user,
    password,
    close() {
      listener.close();
      proxy.close();
      guests.close();
    },
  });
}

/** Takes the same time however much of it is right. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
