import { expect, test } from 'vitest';
import { bandPath, type Day, medianPath, standingAt, stretchesOf, topOf } from './provider-day.ts';

const day: Day = {
  queries: [4, 0, 3, 0, 9],
  failed: [0, 0, 1, 2, 0],
  p50: [10, null, 20, null, 10],
  p95: [20, null, 20, null, 40],
};

test.each([
  [0, 'answered'],
  [1, 'not-asked'],
  [2, 'some-failed'],
  [3, 'none-answered'],
] as const)('what became of the tries of interval %i', (place, standing) => {
  expect(standingAt(day, place)).toBe(standing);
});

test('neighbours of the same standing are one stretch, and all intervals are in one', () => {
  const two = { ...day, queries: [1, 2, 0, 0, 0], failed: [0, 0, 0, 0, 7] };
  expect(stretchesOf(two)).toEqual([
    { from: 0, to: 2, standing: 'answered' },
    { from: 2, to: 4, standing: 'not-asked' },
    { from: 4, to: 5, standing: 'none-answered' },
  ]);
});

test('one interval between gaps is drawn as wide as it is', () => {
  const alone = { ...day, p50: [null, 10, null], p95: [null, 20, null] };
  expect(medianPath(alone, 40, 40)).toBe('M1 30L1.5 30L2 30');
  expect(bandPath(alone, 40, 40)).toBe('M1 20L1.5 20L2 20L2 30L1.5 30L1 30Z');
});

test('neighbours are joined, and what is above the top is cut off there', () => {
  expect(medianPath({ p50: [10, 80] }, 40, 40)).toBe('M0 30L0.5 30L1.5 0L2 0');
});

test('nothing is drawn where nothing was answered', () => {
  const silent = { ...day, p50: [null, null], p95: [null, null] };
  expect([medianPath(silent, 40, 0), bandPath(silent, 40, 0), topOf([silent])]).toEqual([
    '',
    '',
    0,
  ]);
});

test('one slow interval of a day does not flatten the others', () => {
  const many = {
    ...day,
    p50: Array.from({ length: 96 }, (_, at) => (at === 50 ? 5000 : 10)),
    p95: Array.from({ length: 96 }, (_, at) => (at === 50 ? 5000 : 30)),
  };
  expect(topOf([many])).toBe(33);
});
