/**
 * Hands each message to the socket at once. The library's own writer waits until the one before was read, and its queue has no
 * bound.
 */
import type { Socket } from 'node:net';
import { AbstractMessageWriter, Message, type MessageWriter } from 'vscode-jsonrpc/node';
import { RestAfterBurst } from '../base/give-back-memory.ts';
import type { Seat } from './connection-seats.ts';

export class PromptWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #socket: Socket;
  readonly #seat: Pick<Seat, 'makeRoom' | 'spend'>;

  constructor(socket: Socket, seat: Pick<Seat, 'makeRoom' | 'spend'>) {
    super();
    this.#socket = socket;
    this.#seat = seat;
    socket.once('close', () => this.fireClose());
  }

  async write(message: Message): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const begun = performance.now();
    const frame = frameOf(message);
    this.#seat.spend(performance.now() - begun);
    this.#seat.makeRoom(frame.length);
    if (!socket.destroyed) socket.write(frame);
    if (frame.length > largeOctets) rest.handled(frame.length * garbageOfEach);
  }

  end(): void {
    this.#socket.end();
  }
}

/** Large replies leave rows, texts and octets behind, which V8 would let grow to tens of megabytes. */
const rest = new RestAfterBurst();
const largeOctets = 64 * 1024;
const garbageOfEach = 4;

/** A notification to many clients is one object: it is written once, and each socket gets the same octets. */
const frames = new WeakMap<object, Buffer>();

function frameOf(message: Message): Buffer {
  if (!Message.isNotification(message) || message.params === undefined) return frame(message);
  const known = frames.get(message.params);
  if (known !== undefined) return known;
  const made = frame(message);
  frames.set(message.params, made);
  return made;
}

function frame(message: Message): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const head = `Content-Length: ${length}\r\n\r\n`;
  const octets = Buffer.allocUnsafeSlow(head.length + length);
  octets.write(head, 0, 'latin1');
  octets.write(text, head.length);
  return octets;
}
