import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetHandover, startLifeSigns } from './life-signs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function addon(guarded: { watchdogMs?: number } | null) {
  const told: string[] = [];
  const notifyGuardian = (state: string) => told.push(state) > 0;
  return { told, guarded: () => guarded, notifyGuardian };
}

test('ready, then alive in time, then stopping, then silent', () => {
  const guardian = addon({ watchdogMs: 1000 });
  const stopping = startLifeSigns(guardian);
  expect(guardian.told.splice(0)).toEqual(['READY=1\nX_SOTTO_CONTROL=1']);
  vi.advanceTimersByTime(1000);
  expect(guardian.told.splice(0)).toEqual(Array(4).fill('X_SOTTO_CONTROL=1'));
  stopping();
  vi.advanceTimersByTime(1000);
  expect(guardian.told).toEqual(['STOPPING=1']);
});

test('without a watchdog only beginning and end are told', () => {
  const guardian = addon({});
  const stopping = startLifeSigns(guardian);
  vi.advanceTimersByTime(100_000);
  stopping();
  expect(guardian.told).toEqual(['READY=1\nX_SOTTO_CONTROL=1', 'STOPPING=1']);
});

test('nobody listens: nothing is told', () => {
  const alone = addon(null);
  startLifeSigns(alone)();
  expect(alone.told).toEqual([]);
  startLifeSigns({})();
});

test('children inherit no handover', () => {
  const environment = { LISTEN_FDS: '2', LISTEN_PID: '1', NOTIFY_SOCKET: '/n', HOME: '/h' };
  forgetHandover(environment);
  expect(environment).toEqual({ HOME: '/h' });
});
