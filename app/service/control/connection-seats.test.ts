import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSeats, type Seat } from './connection-seats.ts';

test('an account that leaves and comes back has spent what it has spent', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const seats = createSeats(() => {});
  const come = (account: number) => {
    const socket = new Socket();
    const seat = seats.take(socket, 'observe', account);
    if (!seat.ok) throw new Error(seat.failure.message);
    return { seat: seat.value, leave: () => socket.emit('close') };
  };
  const spent = (seat: Seat) => seat.spent(performance.now());
  const first = come(1001);
  first.seat.spend(60_000);
  first.leave();
  const again = spent(come(1001).seat);
  expect(again.account).toBeGreaterThan(1000);
  expect(again.connection).toBe(0);
  expect(spent(come(1002).seat).account, 'another account has spent nothing').toBe(0);
});
