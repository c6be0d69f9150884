import { expect, test } from 'vitest';
import type { Fit } from '../../contract/engine-words.ts';
import type { Condition } from '../../contract/settings/condition.ts';
import {
  type AccountNumbers,
  accountsIn,
  dependsOnAsker,
  engineWhen,
  fitHere,
} from './condition-here.ts';

const noon = new Date('2026-11-23T12:00:00').getTime();
const morning = { from: '06:00', to: '12:00' };
const day = { from: '06:00', to: '18:00' };

test.each<[Condition, Fit, Fit]>([
  [{ user: ['ann'] }, 'no', 'yes'],
  [{ network: ['Office'] }, 'yes', 'yes'],
  [{ network: ['Office'] }, 'unknown', 'unknown'],
  [{ network: ['Office'] }, 'no', 'no'],
  [{ hours: [day] }, 'no', 'yes'],
  [{ hours: [morning] }, 'yes', 'no'],
  [{ hours: [morning, day] }, 'yes', 'yes'],
  [{ hours: [day], network: ['Office'] }, 'unknown', 'unknown'],
  [{ hours: [morning], network: ['Office'] }, 'unknown', 'no'],
])('%j where the network fits as %s: %s', (condition, network, expected) => {
  expect(fitHere(condition, { isNetwork: () => network, now: () => noon, built: 0 })).toBe(
    expected,
  );
});

test.each<[Condition, Fit, Fit]>([
  [{ hours: [day] }, 'yes', 'unknown'],
  [{ hours: [morning] }, 'yes', 'unknown'],
  [{ hours: [day], network: ['Office'] }, 'no', 'no'],
  [{ network: ['Office'] }, 'yes', 'yes'],
])(
  '%j with a clock that is certainly wrong, where the network fits as %s: %s',
  (condition, network, expected) => {
    const here = { isNetwork: () => network, now: () => noon, built: noon + 1 };
    expect(fitHere(condition, here)).toBe(expected);
  },
);

test('the engine gets numbers of accounts, and is told where one is missing', () => {
  const accounts: AccountNumbers = {
    numberOf: (name) => ({ ann: 1000, root: 0 })[name] ?? null,
    subordinatesOf: (account) => (account === 'ann' ? [[100_000, 65_536]] : []),
  };
  const nothing = { users: null, unknownUsers: false, subordinates: [], units: null };
  const ofAnn = { ...nothing, subordinates: [[100_000, 65_536]] };
  for (const [condition, expected] of [
    [null, null],
    [{ hours: [day] }, null],
    [{ user: ['ann', 7, 'root'] }, { ...ofAnn, users: [1000, 7, 0] }],
    [{ user: ['ann', 'gone'] }, { ...ofAnn, users: [1000], unknownUsers: true }],
    [
      { unit: ['a.service'], network: ['x'] },
      { ...nothing, units: ['a.service'] },
    ],
  ] as const)
    expect(engineWhen(condition as Condition | null, accounts)).toEqual(expected);
});

test('what becomes of names depends on who asks where a condition names users or units', () => {
  const rule = { suffix: 'a.example', to: ['network'] };
  const settings = { bypass: [rule], groups: {}, refuseFor: [{ hours: [day] }] };
  expect(dependsOnAsker(settings)).toBe(false);
  expect(dependsOnAsker({ ...settings, refuseFor: [{ user: ['ann'] }] })).toBe(true);
  const unit = { unit: ['a.service'] };
  expect(dependsOnAsker({ ...settings, bypass: [{ ...rule, when: unit }] })).toBe(true);
});

test('accounts are those of rules, groups and refusals', () => {
  const rule = { suffix: 'a.example', to: ['network'] };
  const group = { names: ['b.example'] };
  expect(
    accountsIn({
      bypass: [rule, { ...rule, when: { user: ['ann', 7] } }],
      groups: { one: group, other: { ...group, when: { user: ['bob', 'ann'] } } },
      refuseFor: [{ unit: ['a.service'] }, { user: ['kiosk'] }],
    }),
  ).toEqual(['ann', 'bob', 'kiosk']);
});
