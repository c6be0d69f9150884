/**
 * A connection to sotto-helper for as long as something is taken and the service lives. Once this connection and the guardian's
 * have ended, no process looks after what was taken, and the helper gives it back where policy allows
 * (docs/design/system-dns.md).
 */
import { connect, type Socket } from 'node:net';
import type { HelperRequest } from '../../contract/system/helper-protocol.ts';
import { helperSocketInUse } from './helper.ts';

export interface HelperLease {
  /** Holds from now on, or lets go. */
  keep(wanted: boolean): void;
}

/** A helper that was restarted waits longer than this for connections of those who hold DNS. */
const againAfterMs = 250;
const hold: HelperRequest = { verb: 'hold' };

export function leaseAt(path: string = helperSocketInUse()): HelperLease {
  let socket: Socket | null = null;
  let timer: NodeJS.Timeout | undefined;

  function open(): void {
    socket = connect(path);
    // It must not keep the process alive.
    socket.unref();
    socket.on('connect', () => socket?.write(`${JSON.stringify(hold)}\n`));
    // 'close' follows
    socket.on('error', () => {});
    socket.on('close', () => {
      if (socket === null) return;
      timer = setTimeout(open, againAfterMs);
      timer.unref();
    });
    socket.resume();
  }

  return {
    keep(wanted) {
      if (wanted === (socket !== null)) return;
      clearTimeout(timer);
      const last = socket;
      socket = null;
      last?.destroy();
      if (wanted) open();
    },
  };
}
