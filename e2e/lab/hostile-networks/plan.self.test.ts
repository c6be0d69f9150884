import { expect, test } from 'vitest';
import { attackNames } from './attacks/attacks.ts';
import { type Policy, plan } from './plan.ts';

test('six rounds give each attack four trials under refuse, and one under each other policy', () => {
  const trials = plan(attackNames.length * 6, attackNames);
  for (const name of attackNames) {
    const policies = trials.filter(({ attack }) => attack === name).map(({ policy }) => policy);
    expect(policies.toSorted()).toEqual([
      'fallback',
      'refuse',
      'refuse',
      'refuse',
      'refuse',
      'warn',
    ]);
  }
});

test('a plan that is cut short has every attack equally often, or once less', () => {
  const trials = plan(attackNames.length + 3, attackNames);
  const counts = attackNames.map((name) => trials.filter(({ attack }) => attack === name).length);
  expect(counts.toSorted().at(0)).toBe(1);
  expect(counts.toSorted().at(-1)).toBe(2);
});

test('300 trials have 200 under refuse', () => {
  const under = (policy: Policy) => plan(300, ['script']).filter((one) => one.policy === policy);
  expect([under('refuse').length, under('warn').length, under('fallback').length]).toEqual([
    200, 50, 50,
  ]);
});
