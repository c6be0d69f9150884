import { expect, test } from 'vitest';
import { addUp, type ClassSeries, endOf, stack, timesOf, totals } from './class-columns.ts';

const none = [0, 0, 0];
const series: ClassSeries = {
  since: 60,
  step: 10,
  outcomes: {
    encrypted: [3, 0, 0],
    cached: [1, 1, 0],
    exceptions: [0, 3, 0],
    unencrypted: [1, 0, 2],
    blocked: [0, 0, 1],
    failed: none,
  },
};

test('sums are of all intervals, or of one', () => {
  expect(totals(series)).toMatchObject({ encrypted: 3, cached: 2, exceptions: 3, unencrypted: 3 });
  expect(totals(series, [1, 1])).toMatchObject({ cached: 1, exceptions: 3, encrypted: 0 });
  expect(endOf(series)).toBe(90);
});

test('bars stand on each other, and the highest interval fills the chart', () => {
  const [first, second, third] = stack(series);
  expect(first).toEqual([
    { part: 'encrypted', from: 0, height: 0.6 },
    { part: 'cached', from: 0.6, height: 0.2 },
    { part: 'unencrypted', from: 0.8, height: 0.2 },
  ]);
  expect(second?.map(({ part }) => part)).toEqual(['cached', 'exceptions']);
  expect(third?.at(-1)).toMatchObject({ part: 'blocked', from: 0.4 });
});

test('nothing counted is no bar', () => {
  const { encrypted, ...others } = series.outcomes;
  const empty = Object.fromEntries(Object.keys(others).map((name) => [name, none]));
  const outcomes = { ...series.outcomes, ...empty, encrypted: encrypted.map(() => 0) };
  expect(stack({ ...series, outcomes })).toEqual([[], [], []]);
});

test('intervals between two, in either order', () => {
  expect(timesOf(series, [2, 1])).toEqual({ since: 70, until: 90 });
  expect(timesOf(series, [0, 0])).toEqual({ since: 60, until: 70 });
  expect(addUp(totals(series))).toBe(12);
});
