/**
 * How many connections to the control socket there may be. The machine's is open to every account, and each connection takes a
 * descriptor from those that questions need; so who may only observe has a few, whoever may do more as many as they like.
 */
import type { Socket } from 'node:net';
import type { Role } from '../../contract/service-api.ts';

export interface Seats {
  /** Whether the connection may stay; it is given up when it ends. */
  take(socket: Socket, role: Role | null, account: number | null): boolean;
}

const mostOfOneAccount = 64;
const mostOfAll = 1024;

export function createSeats(): Seats {
  const taken = new Map<number | null, number>();
  let all = 0;

  return {
    take(socket, role, account) {
      if (role !== null && role !== 'observe') return true;
      const own = taken.get(account) ?? 0;
      if (own >= mostOfOneAccount || all >= mostOfAll) return false;
      taken.set(account, own + 1);
      all++;
      socket.once('close', () => {
        const left = (taken.get(account) ?? 1) - 1;
        if (left === 0) taken.delete(account);
        else taken.set(account, left);
        all--;
      });
      return true;
    },
  };
}
