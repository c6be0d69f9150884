/** Queries over UDP, as a program on this machine would send them; the log shows the result of each. */
import { createSocket } from 'node:dgram';
import packet from 'dns-packet';
import type { Query } from './pages.ts';

export class Asker {
  readonly #socket = createSocket('udp4');
  readonly #port: number;
  #isSettled = () => {};
  #nextId = 1;
  #answered = 0;
  #asked = 0;

  constructor(port: number) {
    this.#port = port;
    this.#socket.on('message', () => {
      this.#answered += 1;
      if (this.#answered === this.#asked) this.#isSettled();
    });
    /** an error because no program listens on the port (yet) is reported here; the counts show it */
    this.#socket.on('error', () => {});
  }

  get counts(): { asked: number; answered: number } {
    return { asked: this.#asked, answered: this.#answered };
  }

  ask(query: Query): void {
    const message = packet.encode({
      type: 'query',
      id: this.#nextId,
      flags: packet.RECURSION_DESIRED,
      questions: [{ name: query.name, type: placeholder }],
    });
    message.writeUInt16BE(typeNumbers[query.type] ?? 1, message.length - 4);
    this.#nextId = (this.#nextId % 0xffff) + 1;
    this.#asked += 1;
    this.#socket.send(message, this.#port, '127.0.0.1');
  }

  /** Until every query has its response, but no longer than so many milliseconds. */
  async settle(patience: number): Promise<void> {
    if (this.#answered === this.#asked) return;
    await new Promise<void>((resolve) => {
      const end = setTimeout(resolve, patience);
      this.#isSettled = () => {
        clearTimeout(end);
        resolve();
      };
    });
  }

  close(): void {
    this.#socket.close();
  }
}

/** dns-packet knows no HTTPS: it writes type 0. The question section's last four octets are type and class. */
const placeholder = 'A';
const typeNumbers: Record<string, number> = {
  A: 1,
  AAAA: 28,
  HTTPS: 65,
  MX: 15,
  TXT: 16,
  SRV: 33,
};
