import { expect, it } from 'vitest';
import { dayOf, idleSeconds } from './browsing-day.ts';

const day = dayOf(7, 3600);

it('is the same day for the same seed, and another day for another seed', () => {
  expect(dayOf(7, 3600)).toEqual(day);
  expect(dayOf(8, 3600)).not.toEqual(day);
});

it('runs forward in time', () => {
  const times = day.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((left, right) => left - right));
});

it('has few names that are queried often and many that are queried seldom', () => {
  const asked = new Map<number, number>();
  for (const { rank } of day) asked.set(rank, (asked.get(rank) ?? 0) + 1);
  expect(asked.get(0) ?? 0).toBeGreaterThan(day.length / 20);
  expect(asked.size).toBeGreaterThan(500);
});

it('has some pauses beyond the idle limit, and none far beyond it', () => {
  const gaps = day.slice(1).map(({ atMs }, at) => (atMs - (day[at]?.atMs ?? 0)) / 1000);
  expect(gaps.filter((gap) => gap > idleSeconds).length).toBeGreaterThan(20);
  expect(Math.max(...gaps)).toBeLessThan(2 * idleSeconds + 1);
});
