/**
 * Reads what a client of the control socket asks, and no faster than it is answered: a client that asks and asks must fill
 * nobody's memory but its own.
 */
import type { Socket } from 'node:net';
import { type DataCallback, Message, SocketMessageReader } from 'vscode-jsonrpc/node';

/** More than any request has: a message that never ends must not fill our memory. */
const longestRequest = 1024 * 1024;

/** Of one connection, read and not answered yet. */
const mostWaiting = 64;

export class RequestReader extends SocketMessageReader {
  readonly #socket: Socket;
  #waiting = 0;
  #unread = 0;

  constructor(socket: Socket) {
    super(socket);
    this.#socket = socket;
    socket.on('data', (octets) => {
      this.#unread += octets.length;
      if (this.#unread > longestRequest) socket.destroy();
    });
  }

  /** The contract has requests alone; whatever else comes is left. */
  override listen(callback: DataCallback) {
    return super.listen((message) => {
      this.#unread = 0;
      if (!Message.isRequest(message)) return;
      this.#waiting++;
      if (this.#waiting >= mostWaiting) this.#socket.pause();
      callback(message);
    });
  }

  answered(): void {
    this.#waiting--;
    if (this.#waiting < mostWaiting && this.#socket.isPaused()) this.#socket.resume();
  }
}
