/** Each query is in one part; what left unencrypted is in no other. */
import { expect, test } from 'vitest';
import { outcomeSeries, stack, totals } from './outcome-series.ts';

const frame = { from: 0, to: 30, width: 10 };
const all = {
  ...frame,
  counts: { forwarded: [4, 0, 2], cached: [1, 1], bypassed: [0, 3], refused: [0, 0, 1] },
};
const open = { ...frame, counts: { forwarded: [1, 0, 2] } };

test('the outcomes of each interval add up to all queries', () => {
  const series = outcomeSeries(all, open);
  expect(series.counts).toEqual({
    encrypted: [3, 0, 0],
    cached: [1, 1, 0],
    exceptions: [0, 3, 0],
    unencrypted: [1, 0, 2],
    blocked: [0, 0, 1],
    failed: [0, 0, 0],
  });
  const sum = Object.values(totals(series)).reduce((one, other) => one + other, 0);
  expect(sum).toBe(12);
  expect(totals(series, 1)).toMatchObject({ cached: 1, exceptions: 3, encrypted: 0 });
});

test('bars stand on each other, and the highest interval fills the chart', () => {
  const [first, second, third] = stack(outcomeSeries(all, open));
  expect(first).toEqual([
    { part: 'encrypted', from: 0, height: 0.6 },
    { part: 'cached', from: 0.6, height: 0.2 },
    { part: 'unencrypted', from: 0.8, height: 0.2 },
  ]);
  expect(second?.map(({ part }) => part)).toEqual(['cached', 'exceptions']);
  expect(third?.at(-1)).toMatchObject({ part: 'blocked', from: 0.4 });
});

test('nothing counted is no bar', () => {
  const none = { ...frame, counts: {} };
  expect(stack(outcomeSeries(none, none))).toEqual([[], [], []]);
});
