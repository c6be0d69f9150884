import { expect, test } from 'vitest';
import {
  addedSince,
  bucketCount,
  bucketOf,
  type Histogram,
  longestIn,
  percentile,
} from './latency-histogram.ts';

test('buckets follow each other without a gap, none wider than 3.2 % of what it holds', () => {
  let shortest = 0;
  for (let bucket = 0; bucket < bucketCount; bucket += 1) {
    const longest = longestIn(bucket);
    expect([bucketOf(shortest), bucketOf(longest)]).toEqual([bucket, bucket]);
    expect(longest - shortest).toBeLessThanOrEqual(shortest * 0.032);
    shortest = longest + 1;
  }
  expect(shortest).toBe(2 ** 32);
});

test('percentiles are those of the times themselves, to the width of a bucket', () => {
  const times = Array.from({ length: 1000 }, (_, index) => (index + 1) * 37);
  const counts = Map.groupBy(times, (time) => longestIn(bucketOf(time)));
  const counted: Histogram = [...counts].map(([longest, those]) => [longest, those.length]);
  for (const share of [0.5, 0.95, 0.99, 1]) {
    const exact = (times[share * 1000 - 1] ?? 0) / 1000;
    const found = percentile(counted, share) ?? 0;
    expect(found).toBeGreaterThanOrEqual(exact);
    expect(found).toBeLessThanOrEqual(exact * 1.032);
  }
});

test('nothing has no percentile, and one time has all of them', () => {
  expect(percentile([], 0.5)).toBeNull();
  expect([0, 0.5, 1].map((share) => percentile([[2000, 1]], share))).toEqual([2, 2, 2]);
});

test('two counts subtract', () => {
  expect(
    addedSince(
      [
        [10, 3],
        [20, 1],
      ],
      [
        [10, 5],
        [20, 1],
        [30, 4],
      ],
    ),
  ).toEqual([
    [10, 2],
    [30, 4],
  ]);
});
