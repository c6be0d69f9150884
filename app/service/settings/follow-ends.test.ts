import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followEnds } from './follow-ends.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function following(nextEnd: number | null) {
  const reload = vi.fn();
  let setClock = () => {};
  const end = followEnds({
    store: { nextEnd: () => nextEnd },
    onClockSet(listener) {
      setClock = listener;
      return () => {
        setClock = () => {};
      };
    },
    reload,
    now: Date.now,
  });
  return { reload, end, setClock: () => setClock() };
}

test('settings are read again once an entry has ended, and when the clock is set', () => {
  const { reload, end, setClock } = following(50_000);
  vi.advanceTimersByTime(49_000);
  expect(reload).not.toHaveBeenCalled();
  vi.advanceTimersByTime(20_000);
  expect(reload).toHaveBeenCalledOnce();
  setClock();
  expect(reload).toHaveBeenCalledTimes(2);
  end();
  setClock();
  vi.advanceTimersByTime(60_000);
  expect(reload).toHaveBeenCalledTimes(2);
});

test('where nothing ends, nothing is read', () => {
  const { reload, end } = following(null);
  vi.advanceTimersByTime(3_600_000);
  expect(reload).not.toHaveBeenCalled();
  end();
});
