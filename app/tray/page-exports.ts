/** The export of each window: the page takes its octets chunk by chunk, and what it has not taken yet waits in the reader. */
import type { Socket } from 'node:net';
import { type Result, succeed } from '../contract/errors.ts';
import type { Params } from '../contract/service-api.ts';
import { openPouring } from '../service-client/pour-log.ts';
import type { ConnectedService } from '../service-client/service-client.ts';

interface Export {
  socket: Socket;
  chunks: AsyncIterator<Uint8Array>;
}

/** `Page` is whatever tells one window from another. */
export class PageExports<Page extends WeakKey> {
  readonly #connect: () => Promise<Result<ConnectedService>>;
  readonly #running = new WeakMap<Page, Export>();

  constructor(connect: () => Promise<Result<ConnectedService>>) {
    this.#connect = connect;
  }

  /** Ends the one before. */
  async begin(page: Page, params: Params<'log.pour'>): Promise<Result<Record<string, never>>> {
    const begun = await openPouring(this.#connect, params);
    if (!begun.ok) return begun;
    this.stop(page);
    const socket = begun.value;
    this.#running.set(page, { socket, chunks: socket[Symbol.asyncIterator]() });
    return succeed({});
  }

  /** Null once it has ended. */
  async next(page: Page): Promise<Uint8Array | null> {
    const chunk = await this.#running
      .get(page)
      ?.chunks.next()
      .catch(() => null);
    return chunk == null || chunk.done === true ? null : chunk.value;
  }

  stop(page: Page): void {
    this.#running.get(page)?.socket.destroy();
    this.#running.delete(page);
  }
}
