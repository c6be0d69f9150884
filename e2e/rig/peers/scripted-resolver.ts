/** A DNS-over-TLS server whose timing and behaviour a test decides, query by query. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Identity } from '../certificates.ts';
import { FrameReader, frame } from '../framing.ts';
import type { Lab } from '../lab.ts';
import { nameAsked } from '../message.ts';
import type { Endpoint } from '../raw-client.ts';

export interface Asked {
  query: Buffer;
  name: string;
  /** counts from 1 */
  connection: number;
  answer(message: Buffer): void;
  /** cuts this connection without a response */
  cut(): void;
}

export class ScriptedResolver {
  readonly endpoint: Endpoint;
  readonly asked: Asked[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();

  static async start(
    lab: Lab,
    identity: Identity,
    behave: (asked: Asked) => void,
  ): Promise<ScriptedResolver> {
    const [cert, key] = await Promise.all([readFile(identity.certificate), readFile(identity.key)]);
    const server = createServer({ cert, key });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return lab.adopt(new ScriptedResolver(server, behave));
  }

  private constructor(server: Server, behave: (asked: Asked) => void) {
    const address = server.address();
    if (address === null || typeof address === 'string')
      throw new Error('the resolver has no port');
    this.endpoint = { address: '127.0.0.1', port: address.port };
    this.#server = server;
    server.on('secureConnection', (socket) => this.#serve(socket, behave));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  #serve(socket: TLSSocket, behave: (asked: Asked) => void): void {
    const connection = ++this.connections;
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    new FrameReader(socket).each((query) => {
      const asked = {
        query,
        name: nameAsked(query),
        connection,
        answer: (message: Buffer) => void socket.write(frame(message)),
        cut: () => void socket.destroy(),
      };
      this.asked.push(asked);
      behave(asked);
    });
  }
}
