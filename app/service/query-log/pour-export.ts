/** Writes an export into a client's connection, as fast as the client takes it: at most two pieces wait for it. */
import type { Writable } from 'node:stream';
import type { Failure } from '../../contract/errors.ts';
import { partHead } from '../../contract/query-log/poured-text.ts';
import type { TextPiece } from './search/export-piece.ts';

/** So much is written at once, about. */
export const pieceOctets = 512 * 1024;

export class Pouring {
  readonly #to: Writable;
  #written: Promise<unknown> = Promise.resolve();

  constructor(to: Writable) {
    this.#to = to;
    to.on('error', () => to.destroy());
  }

  /** The client has gone. */
  get ended(): boolean {
    return this.#to.destroyed;
  }

  /** Resolves when the piece before this one has been taken. */
  async write({ octets, rows }: TextPiece): Promise<void> {
    await this.#written;
    if (octets.length === 0) return;
    this.#to.write(partHead('text', octets.length, rows));
    this.#written = this.#taken(octets);
  }

  async end(): Promise<void> {
    await this.#written;
    this.#to.end(partHead('end', 0));
  }

  async fail(failure: Failure): Promise<void> {
    await this.#written;
    const said = Buffer.from(JSON.stringify(failure));
    this.#to.write(partHead('failure', said.length));
    this.#to.end(said);
  }

  /** Also when the client has gone. */
  #taken(octets: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#to.write(octets, () => resolve()));
  }
}
