/** DNS over a stream: two octets of length, then the message (RFC 1035 section 4.2.2). */
import type { Duplex } from 'node:stream';

export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

export class FrameReader {
  readonly #stream: Duplex;
  #buffered = Buffer.alloc(0);
  #deliver: ((message: Buffer) => void) | undefined;
  readonly #onData = (chunk: Buffer) => {
    this.#buffered = Buffer.concat([this.#buffered, chunk]);
    this.#drain();
  };

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('data', this.#onData);
  }

  each(deliver: (message: Buffer) => void): void {
    this.#deliver = deliver;
    this.#drain();
  }

  next(): Promise<Buffer> {
    return new Promise((done, failed) => {
      const closed = () => failed(new Error('the connection was closed before the reply'));
      this.#stream.once('close', closed).once('error', failed);
      this.each((message) => {
        this.#deliver = undefined;
        this.#stream.off('close', closed).off('error', failed);
        done(message);
      });
    });
  }

  /** Gives the stream back, with the octets that were read beyond the last message. */
  release(): Buffer {
    this.#stream.off('data', this.#onData);
    this.#stream.pause();
    return this.#buffered;
  }

  #drain(): void {
    while (this.#deliver !== undefined && this.#buffered.length >= 2) {
      const end = 2 + this.#buffered.readUInt16BE(0);
      if (this.#buffered.length < end) return;
      const message = this.#buffered.subarray(2, end);
      this.#buffered = this.#buffered.subarray(end);
      this.#deliver(message);
    }
  }
}
