import { expect, test } from 'vitest';
import { dearest } from './test-costs.ts';

const costs = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ file: `${index}.test.ts`, seconds: index / 2 }),
  ).join('\n');

test('the dearest files come first, beside the sum of all', () => {
  const lines = dearest(costs(40));
  expect(lines[0]).toContain('Processor seconds: 390 in 40 files, 295 in these 20:');
  expect(lines.slice(1).map((line) => line.trim())).toEqual(
    Array.from(
      { length: 20 },
      (_, place) => `${((39 - place) / 2).toFixed(1)}  ${39 - place}.test.ts`,
    ),
  );
});

test('of a few files nothing is said', () => {
  expect(dearest(costs(20))).toEqual([]);
});
