/**
 * A connection to sotto-helper for as long as something is taken and we live: once it has ended, and the guardian's as well,
 * nobody looks after what was taken, and the helper gives it back where policy allows (docs/design/system-dns.md).
 */
import { connect, type Socket } from 'node:net';
import type { HelperRequest } from '../../contract/system/helper-protocol.ts';
import { helperSocketInUse } from './helper.ts';

export interface HelperLease {
  /** Held from now on, or let go. */
  keep(wanted: boolean): void;
}

/** A helper that is started again waits longer than this for whoever holds. */
const againAfterMs = 250;
const hold: HelperRequest = { verb: 'hold' };

export function leaseAt(path: string = helperSocketInUse()): HelperLease {
  let socket: Socket | null = null;
  let timer: NodeJS.Timeout | undefined;

  function open(): void {
    socket = connect(path);
    // It keeps nobody from ending.
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
