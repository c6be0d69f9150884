/**
 * Hands each message to the socket at once. The library's own writer waits until the one before was read, and what waits there
 * is counted by nobody.
 */
import type { Socket } from 'node:net';
import { AbstractMessageWriter, type Message, type MessageWriter } from 'vscode-jsonrpc/node';

/** A client that reads nothing for this many octets is let go: nobody waits for it. */
const patience = 16 * 1024 * 1024;

export class PromptWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #socket: Socket;
  readonly #onTooSlow: (octets: number) => void;

  constructor(socket: Socket, onTooSlow: (octets: number) => void) {
    super();
    this.#socket = socket;
    this.#onTooSlow = onTooSlow;
    socket.once('close', () => this.fireClose());
  }

  async write(message: Message): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed) return;
    if (socket.writableLength > patience) {
      this.#onTooSlow(socket.writableLength);
      socket.destroy();
      return;
    }
    const body = Buffer.from(JSON.stringify(message));
    socket.cork();
    socket.write(`Content-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
    socket.uncork();
  }

  end(): void {
    this.#socket.end();
  }
}
