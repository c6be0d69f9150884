import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import { createStatsFeed, statsEveryMs } from './stats-feed.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function counting() {
  let reads = 0;
  return {
    reads: () => reads,
    read: async () => ({ memory: ++reads }) as ServiceStats,
  };
}

test('figures come every second to all who follow, and are not read for nobody', async () => {
  const { reads, read } = counting();
  const bugs: unknown[] = [];
  const feed = createStatsFeed(read, (error) => bugs.push(error));
  await vi.advanceTimersByTimeAsync(3 * statsEveryMs);
  expect(reads()).toBe(0);

  const told: string[] = [];
  const endFirst = feed.follow(({ memory }) => told.push(`first ${memory}`));
  const endSecond = feed.follow(({ memory }) => told.push(`second ${memory}`));
  await vi.advanceTimersByTimeAsync(statsEveryMs);
  endFirst();
  await vi.advanceTimersByTimeAsync(statsEveryMs);
  endSecond();
  await vi.advanceTimersByTimeAsync(3 * statsEveryMs);
  expect(told).toEqual(['first 1', 'second 1', 'second 2']);
  expect([reads(), bugs]).toEqual([2, []]);
});

test('figures that can’t be read are reported, and the next ones come', async () => {
  const bugs: unknown[] = [];
  const told: number[] = [];
  let broken = true;
  const feed = createStatsFeed(
    async () => {
      if (broken) throw new TypeError();
      return { memory: 7 } as ServiceStats;
    },
    (error) => bugs.push(error),
  );
  feed.follow(({ memory }) => told.push(memory));
  await vi.advanceTimersByTimeAsync(statsEveryMs);
  broken = false;
  await vi.advanceTimersByTimeAsync(statsEveryMs);
  feed.close();
  await vi.advanceTimersByTimeAsync(3 * statsEveryMs);
  expect([bugs.length, told]).toEqual([1, [7]]);
});

test('a reading that takes its time is not overtaken by the next', async () => {
  const { promise, resolve } = Promise.withResolvers<ServiceStats>();
  let reads = 0;
  const feed = createStatsFeed(
    () => {
      reads += 1;
      return promise;
    },
    () => {},
  );
  feed.follow(() => {});
  await vi.advanceTimersByTimeAsync(3 * statsEveryMs);
  expect(reads).toBe(1);
  resolve({} as ServiceStats);
  await vi.advanceTimersByTimeAsync(statsEveryMs);
  expect(reads).toBe(2);
});
