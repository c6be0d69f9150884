import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { createStatusFeed } from './status-feed.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

let reads = 0;
let pid = 1;
beforeEach(() => {
  reads = 0;
  pid = 1;
});
const read = () => {
  reads++;
  return { pid } as ServiceStatus;
};

const noBug = (error: unknown) => {
  throw error;
};

test('a status that can’t be read is reported, and the next one is told', () => {
  const bugs: unknown[] = [];
  const told: number[] = [];
  let broken = true;
  const feed = createStatusFeed(
    () => {
      if (broken) throw new TypeError();
      return read();
    },
    (error) => bugs.push(error),
  );
  feed.follow((status) => told.push(status.pid));
  feed.touch();
  vi.advanceTimersByTime(200);
  broken = false;
  feed.touch();
  vi.advanceTimersByTime(200);
  expect([bugs.length, told]).toEqual([1, [1]]);
  feed.close();
});

test('many changes are one look, and an unchanged status is not told', () => {
  const feed = createStatusFeed(read, noBug);
  const told: number[] = [];
  feed.follow((status) => told.push(status.pid));
  feed.touch();
  feed.touch();
  vi.advanceTimersByTime(200);
  expect([reads, told]).toEqual([1, [1]]);
  feed.touch();
  vi.advanceTimersByTime(200);
  expect([reads, told]).toEqual([2, [1]]);
  feed.close();
});

test('counters that move in silence are told once a second while somebody follows', () => {
  const feed = createStatusFeed(read, noBug);
  const told: number[] = [];
  const end = feed.follow((status) => told.push(status.pid));
  vi.advanceTimersByTime(1000);
  pid = 2;
  vi.advanceTimersByTime(1000);
  expect(told).toEqual([1, 2]);
  end();
  pid = 3;
  vi.advanceTimersByTime(5000);
  expect([reads, told]).toEqual([2, [1, 2]]);
});

test('without followers a change is still looked at, for what it means to health', () => {
  const feed = createStatusFeed(read, noBug);
  feed.touch();
  vi.advanceTimersByTime(200);
  expect(reads).toBe(1);
  feed.touch();
  feed.close();
  vi.advanceTimersByTime(1000);
  expect(reads).toBe(1);
});
