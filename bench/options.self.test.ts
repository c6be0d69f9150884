import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

const known = ['unbound', 'floor'];

test('by default everything is measured, and the repository keeps the result', () => {
  const options = readOptions([], known);
  expect(options).toMatchObject({ runs: 5, peers: new Set(known), complete: true });
});

test.each([
  [['--only', 'cached,start']],
  [['--peers', 'unbound']],
  [['--runs', '1']],
  [['--seconds', '1']],
  [['--before', '/elsewhere']],
])('the repository does not keep %j', (args) => {
  expect(readOptions(args, known)).toMatchObject({ complete: false });
});

test('Sotto can be measured alone', () => {
  expect(readOptions(['--peers', ''], known)).toMatchObject({ peers: new Set() });
});

test.each([
  [['--only', 'caches'], '--only caches is not known'],
  [['--only', ''], '--only names no figure'],
  [['--peers', 'bind'], 'these are: unbound, floor'],
  [['--runs', 'many'], '--runs many is not a whole number'],
  [['--seconds', '0'], '--seconds 0'],
  [['--fast'], '--fast'],
])('%j is refused with what would be right', (args, words) => {
  const said = readOptions(args, known);
  expect(said).toContain(words);
  expect(said).toContain('node bench/run.ts');
});
