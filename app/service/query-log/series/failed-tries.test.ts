import { expect, test } from 'vitest';
import { countFailedTries } from './failed-tries.ts';

const quad9 = (failed: number) => ({ id: 'quad9', failed });
const garden = (failed: number) => ({ id: 'garden', failed });

test('what was counted before is not counted again', () => {
  const count = countFailedTries();
  expect(count([quad9(2), garden(0)])).toEqual([['quad9', 2]]);
  expect(count([quad9(2), garden(3)])).toEqual([['garden', 3]]);
  expect(count([quad9(2), garden(3)])).toEqual([]);
});

test('a counter that began again, and an upstream that came back, count from zero', () => {
  const count = countFailedTries();
  count([quad9(7), garden(4)]);
  expect(count([quad9(1)])).toEqual([['quad9', 1]]);
  expect(count([quad9(1), garden(2)])).toEqual([['garden', 2]]);
});
