/**
 * Reads the requests of a client of the control socket, no faster than they are answered, so that a client with endless
 * requests fills only its own memory. Octets are handed on in small parts, because a request has a hundred octets, and a socket
 * brings sixty thousand at once.
 */
import type { Socket } from 'node:net';
import { type DataCallback, Message, ReadableStreamMessageReader } from 'vscode-jsonrpc/node';
import { RestAfterBurst } from '../base/give-back-memory.ts';
import { bounds } from './bounds.ts';
import type { Seat } from './connection-seats.ts';

const mostWaiting = bounds.requests.ofConnection;
const smallPart = 1024;
/** The part for a request that is long already. */
const largePart = 16 * 1024;

/** The rest for a connection that brought too much. */
const restMs = 1000;

/** V8 keeps what sockets brought for a long time. */
const rest = new RestAfterBurst();
const garbageOfEach = 3;

export class RequestReader extends ReadableStreamMessageReader {
  readonly #socket: Socket;
  readonly #seat: Pick<Seat, 'mayBring'>;
  readonly #turn: () => Promise<void>;
  readonly #received: Received;
  #left: Buffer = Buffer.alloc(0);
  #feeding = false;
  #waiting = 0;
  #unread = 0;

  /** `turn` resolves when a part of a long request may be read. */
  constructor(socket: Socket, seat: Pick<Seat, 'mayBring'>, turn: () => Promise<void>) {
    const received = new Received(socket);
    super(received);
    // No code needs to know of a request that takes long to come, and the library's timer would hold all of it for ten seconds.
    this.partialMessageTimeout = 0;
    this.#socket = socket;
    this.#seat = seat;
    this.#turn = turn;
    this.#received = received;
    socket.on('data', (octets: Buffer) => {
      if (octets.length > smallPart) rest.handled(garbageOfEach * octets.length);
      this.#left = this.#left.length === 0 ? octets : Buffer.concat([this.#left, octets]);
      this.#feed();
    });
  }

  /** The contract has only requests; other messages are ignored. */
  override listen(callback: DataCallback) {
    return super.listen((message) => {
      this.#unread = 0;
      this.#seat.mayBring(0);
      if (!Message.isRequest(message)) return;
      this.#waiting++;
      callback(message);
    });
  }

  answered(): void {
    this.#waiting--;
    this.#feed();
  }

  /** The library recognises a message some moments after its last octet, so each part has a round of the event loop. */
  #feed(): void {
    if (this.#feeding || this.#socket.destroyed) return;
    if (this.#left.length === 0 && this.#waiting < mostWaiting) return void this.#socket.resume();
    this.#socket.pause();
    if (this.#waiting >= mostWaiting) return;
    const part = this.#left.subarray(0, this.#unread > smallPart ? largePart : smallPart);
    this.#left = this.#left.subarray(part.length);
    this.#unread += part.length;
    if (!this.#seat.mayBring(this.#unread)) return void this.#letGo();
    this.#feeding = true;
    if (this.#unread <= smallPart) this.#tell(part);
    else void this.#turn().then(() => this.#tell(part));
  }

  /** Ends the connection after a while without reading, because the client would come back at once. */
  #letGo(): void {
    this.#left = Buffer.alloc(0);
    this.#feeding = true;
    this.#received.end();
    setTimeout(() => this.#socket.destroy(), restMs);
  }

  #tell(part: Buffer): void {
    this.#received.tell(part);
    setImmediate(() => {
      this.#feeding = false;
      this.#feed();
    });
  }
}

type Stream = ConstructorParameters<typeof ReadableStreamMessageReader>[0];

/** The socket as the library sees it, without the data. */
class Received implements Stream {
  readonly #socket: Socket;
  #listener: (octets: Uint8Array) => void = () => {};
  #onEnd = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  tell(octets: Uint8Array): void {
    this.#listener(octets);
  }

  /** Nothing more comes, so the library can drop what it holds. */
  end(): void {
    this.#onEnd();
  }

  onData(listener: (octets: Uint8Array) => void) {
    this.#listener = listener;
    return { dispose: () => this.#forget() };
  }

  onClose(listener: () => void) {
    this.#onEnd = listener;
    return this.#on('close', listener);
  }

  onEnd(listener: () => void) {
    return this.#on('end', listener);
  }

  onError(listener: (error: Error) => void) {
    return this.#on('error', listener);
  }

  #forget(): void {
    this.#listener = () => {};
  }

  #on(event: string, listener: (...words: never[]) => void) {
    this.#socket.on(event, listener as () => void);
    return { dispose: () => void this.#socket.off(event, listener as () => void) };
  }
}
