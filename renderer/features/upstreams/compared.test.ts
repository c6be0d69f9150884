import { expect, test } from 'vitest';
import { bySpeed, candidatesOf, type Found, lengthOf } from './compared.ts';

const catalogue = [
  { id: 'quad9', upstream: 'mine', retired: null },
  { id: 'google', upstream: null, retired: null },
  { id: 'old', upstream: null, retired: { on: '2026-11-02', notice: 'https://old.example' } },
];
const mine = { kind: 'upstream', id: 'mine' } as const;
const garden = { kind: 'upstream', id: 'garden' } as const;
const google = { kind: 'resolver', id: 'google' } as const;
const found: Found = new Map([
  ['upstream mine', { responseMs: 40, error: null }],
  ['upstream garden', { responseMs: null, error: { code: 'timed-out', text: 'silent' } }],
  ['resolver google', { responseMs: 10, error: null }],
]);

test.each([
  [false, [mine, garden]],
  [true, [mine, garden, google]],
])('whom a comparison asks, with others: %s', (others, expected) => {
  expect(candidatesOf([{ id: 'mine' }, { id: 'garden' }], catalogue, others)).toEqual(expected);
});

test('the fastest comes first, and who gave no answer last', () => {
  expect(bySpeed([garden, mine, google], found)).toEqual([google, mine, garden]);
});

test('bars are as long as their share of the slowest answer', () => {
  expect([lengthOf(40, found), lengthOf(10, found)]).toEqual([1, 0.25]);
  expect(lengthOf(0, new Map())).toBe(0);
});
