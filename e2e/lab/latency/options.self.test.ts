import { expect, it } from 'vitest';
import { type Options, readOptions } from './options.ts';

const read = (...args: string[]) => readOptions(args, ['burst', 'loss'], ['sotto', 'stubby']);

it('measures everything unless told otherwise', () => {
  const { only, programs, complete } = read() as Options;
  expect([...only, ...programs]).toEqual(['burst', 'loss', 'sotto', 'stubby']);
  expect(complete).toBe(true);
});

it.each([[['--only', 'burst']], [['--programs', '']], [['--rounds', '1']], [['--rtt', '36']]])(
  'does not take %j for a complete run',
  (args) => {
    expect((read(...args) as Options).complete).toBe(false);
  },
);

it('always measures Sotto', () => {
  expect([...(read('--programs', 'stubby') as Options).programs]).toEqual(['sotto', 'stubby']);
});

it.each([
  [['--only', 'bursts'], /--only bursts is not known; these are: burst, loss/],
  [['--rounds', '0'], /--rounds 0: give a whole number, 1 or more/],
  [['--rtt', 'far'], /--rtt far/],
  [['--fast'], /--fast/],
])('refuses %j', (args, reason) => {
  expect(read(...args)).toMatch(reason);
});

it('prints help when asked to', () => {
  expect(read('--help')).toBeNull();
});
