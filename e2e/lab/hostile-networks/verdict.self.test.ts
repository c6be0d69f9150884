import { expect, test } from 'vitest';
import type { Outcome } from './outcome.ts';
import { type Policy, type Trial, usual } from './plan.ts';
import { faults } from './verdict.ts';

function outcome(policy: Policy, changes: Partial<Outcome>, attack: Trial['attack']): Outcome {
  return {
    trial: { attack, policy, ...usual },
    ...{ asked: 40, before: 0, inFirstMoment: 0, later: 0, afterClosing: null, withoutEntry: 0 },
    ...{ entryBefore: false, entry: false, entryAfterMs: null, counted: false },
    ...{ closed: false, mechanism: 'file', verdict: 'protected', standing: false, seconds: 3 },
    ...changes,
  };
}

test.each<[Policy, Partial<Outcome>, string[]]>([
  ['refuse', {}, []],
  ['refuse', { inFirstMoment: 2 }, []],
  ['refuse', { later: 1, withoutEntry: 1 }, ['names left under refuse']],
  [
    'refuse',
    { later: 1, entry: true },
    ['names left under refuse', 'an entry stood although nothing may pass'],
  ],
  ['fallback', {}, []],
  ['fallback', { entry: true }, []],
  ['fallback', { later: 9, entry: true }, []],
  ['warn', { inFirstMoment: 1 }, ['names left, and no entry stood']],
  [
    'warn',
    { later: 9, withoutEntry: 9 },
    ['names left, and no entry stood', 'names left while no entry stood'],
  ],
  ['warn', { later: 9, withoutEntry: 3, entry: true }, ['names left while no entry stood']],
  [
    'warn',
    { entryBefore: true, entry: true },
    ['an entry stood before anybody overwrote anything'],
  ],
  ['fallback', { before: 1, entry: true }, ['names left before anybody overwrote anything']],
  ['fallback', { later: 9, entry: true, counted: true }, ['an entry has a count']],
  ['warn', { entry: true, standing: true, verdict: 'partly' }, []],
  ['fallback', { later: 9, entry: true, standing: true, verdict: 'unencrypted' }, []],
  [
    'warn',
    { later: 9, entry: true, standing: true },
    ['an entry stood, and the verdict claimed more'],
  ],
])('under %s, %o: %o', (policy, changes, wrong) => {
  expect(faults(outcome(policy, changes, 'script'))).toEqual(wrong);
});

test('where no setting of ours is changed, an entry is wrong unless names left', () => {
  const wrong = ['an entry stood, and nothing was contested'];
  expect(faults(outcome('warn', { entry: true }, 'second-link'))).toEqual(wrong);
  expect(faults(outcome('warn', { entry: true, later: 1 }, 'second-link'))).toEqual([]);
});
