import { expect, test } from 'vitest';
import { type ContestFacts, mayPass, sayContest } from './contest-told.ts';

const calm: ContestFacts = {
  contested: false,
  live: false,
  stands: true,
  lost: false,
  closed: false,
  unavailable: null,
};

const rows: [string, Partial<ContestFacts>, boolean, string[] | null][] = [
  ['nobody changes anything', {}, false, null],
  ['changed, rejected', { contested: true, stands: false, closed: true }, false, ['dns-closed']],
  ['changed, in place again, rejected', { contested: true, closed: true }, false, ['dns-closed']],
  ['changed just now', { contested: true, live: true }, true, ['dns-not-closed']],
  ['changed and not in place', { contested: true, stands: false }, true, ['dns-not-closed']],
  ['changed long ago, in place', { contested: true }, false, null],
  ['left alone', { contested: true, lost: true }, true, ['dns-did-not-stay']],
  [
    'changed, and nothing can reject it',
    { contested: true, live: true, unavailable: 'nftables is not installed' },
    true,
    ['dns-not-closed', 'dns-cannot-close'],
  ],
];

test.each(rows)('%s', (_situation, some, passes, codes) => {
  const facts = { ...calm, ...some };
  expect(mayPass(facts)).toBe(passes);
  expect(sayContest(facts)?.map(({ code }) => code) ?? null).toEqual(codes);
});
