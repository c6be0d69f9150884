import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { globPattern } from './name-glob.ts';

test.each([
  ['*.example.com', 'cdn.example.com', true],
  ['*.example.com', 'example.com', false],
  ['EXAMPLE.com.', 'example.com', true],
  ['*cdn*', 'a.cdn.example', true],
  ['c?n.example', 'cdn.example', true],
  ['c?n.example', 'cn.example', false],
  ['[a-z]*', 'cdn.example', false],
  ['[a-z]*', '[a-z]b.example', true],
  ['a]b', 'a]b', true],
  ['%.example.com', 'cdn.example.com', false],
  ['_dmarc.*', '_dmarc.example.com', true],
  ['_dmarc.*', 'xdmarc.example.com', false],
  ["'; DROP TABLE events; --", 'cdn.example', false],
  ['label\\.', 'label\\.', true],
  ['.', '.', true],
  ['', 'cdn.example', false],
])('%s against %s: %s', (pattern, name, matches) => {
  const database = new Database(':memory:');
  const found = database.prepare('SELECT ? GLOB ?').pluck().get(name, globPattern(pattern));
  expect(found === 1).toBe(matches);
  database.close();
});

test('a pattern made to be slow is refused', () => {
  expect(globPattern('*a'.repeat(9))).toBeNull();
  expect(globPattern('a'.repeat(2000))).toBeNull();
  expect(globPattern(`a${'*'.repeat(50)}b`)).toBe('a*b');
});
