/** What a client says, by counts of octets. What is not taken is still there for whoever reads it next. */
import type { Socket } from 'node:net';

export interface Octets {
  /** Rejects where the client ends before that many came. */
  take(count: number): Promise<Buffer>;
  /** Gives the client back, paused. */
  release(): void;
}

/** More than a greeting has no business to come before the answer. */
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
