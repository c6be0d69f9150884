/** A server, on loopback by default, that sends prepared pieces to each connection. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Speech } from './exchange.ts';

export class HostileServer {
  readonly port: number;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets = new Set<Socket>();
  #next: () => Speech;
  #onSaid = () => {};

  static async start(host = '127.0.0.1', port = 0): Promise<HostileServer> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(port, host);
    await once(server, 'listening');
    return new HostileServer(server);
  }

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.#next = () => ({ early: false, pieces: [], ending: 'end' });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
      perform(socket, this.#next(), () => this.#onSaid());
    });
  }

  /** Sets what later connections get; `onSaid`: one of them got everything, or is gone. */
  tell(next: () => Speech, onSaid: () => void = () => {}): void {
    this.#next = next;
    this.#onSaid = onSaid;
  }

  /** Ends all connections that are still open. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

const manyOctets = Buffer.from('x: y\r\nHTTP/1.1 100 x\r\n\r\n'.repeat(200));
const mostFlooded = 400_000;

function perform(socket: Socket, { early, pieces, ending }: Speech, onSaid: () => void): void {
  let said = false;
  const say = () => {
    if (said) return;
    said = true;
    const left = [...pieces];
    const more = () => {
      if (socket.destroyed) return onSaid();
      const piece = left.shift();
      if (piece === undefined) {
        endings[ending](socket);
        return onSaid();
      }
      socket.write(piece);
      setImmediate(more);
    };
    more();
  };
  socket.on('data', say).on('end', () => socket.end());
  if (early) say();
}

const endings: Record<Speech['ending'], (socket: Socket) => void> = {
  end: (socket) => void socket.end(),
  reset: (socket) => void socket.resetAndDestroy(),
  stay: () => {},
  flood(socket) {
    let octets = 0;
    const more = () => {
      while (!socket.destroyed && octets < mostFlooded) {
        octets += manyOctets.length;
        if (!socket.write(manyOctets)) return;
      }
    };
    socket.on('drain', more);
    more();
  },
  trickle(socket) {
    const every = setInterval(() => socket.write('x'), 1);
    socket.once('close', () => clearInterval(every));
  },
};
