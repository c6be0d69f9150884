import { expect, test } from 'vitest';
import { domains } from './domains.ts';
import { planDay, queriesOfDay } from './plan.ts';

const evening = planDay(17 * 60 + 40);
const asked = evening.flatMap(({ queries }) => queries);

test('a day has its number of queries, the same each time, from several programs', () => {
  expect(asked).toHaveLength(queriesOfDay);
  expect(planDay(17 * 60 + 40)).toEqual(evening);
  expect(new Set(asked.map(({ program }) => program)).size).toBe(5);
});

test('every domain is asked for, and nights are quiet', () => {
  for (const { name } of domains)
    expect(asked.some((one) => one.name === name || one.name.endsWith(`.${name}`))).toBe(true);
  const countAt = (hour: number) =>
    evening
      .filter(({ minute }) => Math.floor(((minute + 17 * 60 + 40) % 1440) / 60) === hour)
      .reduce((sum, { queries }) => sum + queries.length, 0);
  expect(countAt(3)).toBeLessThan(countAt(10) / 10);
});
