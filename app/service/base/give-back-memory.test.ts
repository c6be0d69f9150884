import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { giveBackAfterStart, RestAfterBurst } from './give-back-memory.ts';

const collect = vi.fn();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('gc', collect);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  collect.mockClear();
});

test('memory is given back once the burst is over, and only once', () => {
  const rest = new RestAfterBurst();
  for (let batch = 0; batch < 10; batch += 1) {
    rest.handled(1_000_000);
    vi.advanceTimersByTime(100);
  }
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

test('what the start took is given back once, seconds later', () => {
  giveBackAfterStart();
  vi.advanceTimersByTime(10_000);
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

test('a few queries now and then are no burst, until they add up', () => {
  const rest = new RestAfterBurst();
  const askAndWait = () => {
    rest.handled(1_000_000);
    vi.advanceTimersByTime(1000);
  };
  askAndWait();
  askAndWait();
  expect(collect).not.toHaveBeenCalled();
  askAndWait();
  expect(collect).toHaveBeenCalledTimes(1);
});

test('a load that never rests does not keep its garbage for ever', () => {
  const rest = new RestAfterBurst();
  for (let batch = 0; batch < 40; batch += 1) {
    rest.handled(1024 * 1024);
    vi.advanceTimersByTime(50);
  }
  expect(collect).toHaveBeenCalledTimes(2);
  expect(collect).toHaveBeenLastCalledWith(expect.objectContaining({ flavor: 'regular' }));
});

test('without --expose-gc nothing happens', () => {
  vi.stubGlobal('gc', undefined);
  giveBackAfterStart();
  expect(() => vi.runAllTimers()).not.toThrow();
});
