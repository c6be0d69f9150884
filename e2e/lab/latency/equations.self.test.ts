import { expect, it } from 'vitest';
import { overhead, publishedPath } from './equations.ts';

it.each([
  [5, 0.054],
  [20, 0.155],
])('gives the report’s values for %i ms', (rttMs, expected) => {
  expect(overhead(publishedPath(rttMs))).toBeCloseTo(expected, 3);
});

it('adds nothing where connections cost nothing', () => {
  expect(overhead({ rttMs: 20, resumedMs: 0, fullMs: 0, queryMs: 20 })).toBeCloseTo(0, 9);
});
