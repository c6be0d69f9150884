import { expect, test } from 'vitest';
import { best, median, rotated } from './statistics.ts';

test.each([
  { of: [], is: null },
  { of: [3], is: 3 },
  { of: [9, 1, 5], is: 5 },
  { of: [10, 2, 4, 100], is: 7 },
  { of: [20, 3, 100], is: 20 },
])('the median of $of is $is', ({ of, is }) => {
  expect(median(of)).toBe(is);
});

test('the median does not change the order of the runs', () => {
  const runs = [3, 1, 2];
  median(runs);
  expect(runs).toEqual([3, 1, 2]);
});

const speeds = new Map([
  ['slow', 10],
  ['fast', 30],
  ['also fast', 30],
]);

test('the best has the most where more is better, the least where less is', () => {
  expect(best(speeds, 'more')).toEqual({ id: 'fast', value: 30 });
  expect(best(speeds, 'less')).toEqual({ id: 'slow', value: 10 });
});

test('among no programs none is the best', () => {
  expect(best(new Map(), 'more')).toBeNull();
});

test('each round starts one further, and begins anew at the end', () => {
  const items = ['a', 'b', 'c'];
  const firsts = [0, 1, 2, 3].map((round) => rotated(items, round).join(''));
  expect(firsts).toEqual(['abc', 'bca', 'cab', 'abc']);
  expect(rotated([], 2)).toEqual([]);
});
