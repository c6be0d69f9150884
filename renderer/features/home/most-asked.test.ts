/** The most frequent first, and unknown ones not at all. */
import { expect, test } from 'vitest';
import { rank } from './most-asked.ts';

test('the most frequent values come first, with their share of the first', () => {
  expect(rank(['b', 'a', 'b', '', 'c', 'b', 'a', 'c'], 2)).toEqual([
    { value: 'b', count: 3, share: 1 },
    { value: 'a', count: 2, share: 2 / 3 },
  ]);
  expect(rank(['', ''], 4)).toEqual([]);
});
