import { expect, test } from 'vitest';
import { MethodCosts } from './method-costs.ts';

test('what a method costs follows what it did cost, and one does not decide', () => {
  const costs = new MethodCosts();
  expect(costs.of('ledger.list')).toBe(0);
  costs.learn('ledger.list', 8);
  expect(costs.of('ledger.list')).toBe(8);
  costs.learn('ledger.list', 16);
  expect(costs.of('ledger.list')).toBe(9);
  expect(costs.of('status.get')).toBe(0);
  for (let each = 0; each < 100; each++) costs.learn('ledger.list', 16);
  expect(costs.of('ledger.list')).toBeCloseTo(16);
});
