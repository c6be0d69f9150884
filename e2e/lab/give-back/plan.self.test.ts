import { expect, it } from 'vitest';
import { plan } from './plan.ts';

it.each([14, 200])('a plan of %s deaths has as many kinds as it has room for', (count) => {
  const trials = plan(count, () => 0.5);
  expect(trials).toHaveLength(count);
  expect(new Set(trials.map(({ victim }) => victim))).toEqual(
    new Set(['service', 'guardian', 'helper', 'pair', 'all']),
  );
  expect(new Set(trials.map(({ serviceStarts }) => serviceStarts)).size).toBe(2);
  const steps = trials.filter(({ at }) => 'step' in at);
  expect(new Set(steps.map(({ during }) => during))).toEqual(new Set(['take', 'give-back']));
});
