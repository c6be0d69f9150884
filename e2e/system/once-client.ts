/** A client that sends each query once and repeats none, and keeps all that comes back. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { encodeQuery, nameAsked } from '../rig/message.ts';
import type { Endpoint } from '../rig/raw-client.ts';

export class OnceClient {
  readonly #socket: Socket;
  readonly #responses: { name: string; response: Buffer }[] = [];
  #id = 0;

  static async open(to: Endpoint): Promise<OnceClient> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
    socket.connect(to.port, to.address);
    await once(socket, 'connect');
    return new OnceClient(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on(
      'message',
      (response) => void this.#responses.push({ name: nameAsked(response), response }),
    );
    // ICMP reports a port that no program holds: the query is lost, and the test has to see that
    socket.on('error', () => {});
  }

  ask(name: string): void {
    this.#socket.send(encodeQuery(name, 'A', { id: this.#id++ }));
  }

  /** Responses for names with this beginning, repeated ones included. */
  responses(prefix: string): Buffer[] {
    return this.#responses
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ response }) => response);
  }

  async stop(): Promise<void> {
    this.#socket.close();
  }
}
