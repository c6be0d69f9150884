/** What a client sends, taken by counts of octets. Octets that are not taken stay for the next reader of the socket. */
import type { Socket } from 'node:net';

export interface Octets {
  /** Rejects where the client ends before that many came. */
  take(count: number): Promise<Buffer>;
  /** Gives the client back, paused. */
  release(): void;
}

/** A client need not send more than a greeting before the answer. */
const mostHeld = 4096;

export function octetsOf(client: Socket): Octets {
  let held: Buffer = Buffer.alloc(0);
  let ended = false;
  let heard = () => {};

  function keep(piece: Buffer): void {
    held = Buffer.concat([held, piece]);
    if (held.length > mostHeld) client.pause();
    heard();
  }
  function end(): void {
    ended = true;
    heard();
  }
  client.on('data', keep).once('end', end).once('close', end);

  return {
    async take(count) {
      while (held.length < count) {
        if (ended) throw new Error('it ended in the middle of a word');
        client.resume();
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
      const taken = held.subarray(0, count);
      held = held.subarray(count);
      return taken;
    },
    release() {
      client.pause();
      client.off('data', keep).off('end', end).off('close', end);
      if (held.length > 0) client.unshift(held);
    },
  };
}
