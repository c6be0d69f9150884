import { expect, test } from 'vitest';
import { matchesName } from './name-pattern.ts';

test.each([
  ['example.com', 'example.com', true],
  ['Example.COM.', 'example.com', true],
  ['example.com', 'www.example.com', false],
  ['*.example.com', 'www.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*example*', 'a.example.net', true],
  ['w?w.*', 'www.a', true],
  ['w?w.*', 'ww.a', false],
  ['*', '', true],
  ['.', '.', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-b-b-d', false],
  ['(.*)', 'x', false],
])('%s and %s: %s', (pattern, name, matches) => {
  expect(matchesName(pattern, name)).toBe(matches);
});

test('a hostile pattern takes no longer than its length times the name’s', () => {
  expect(matchesName(`${'*a'.repeat(400)}b`, 'a'.repeat(1000))).toBe(false);
});
