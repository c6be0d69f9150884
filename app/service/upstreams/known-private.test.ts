import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { openKnownPrivate } from './known-private.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

test('what is kept is there for the next, and written only where it is another', () => {
  const file = join(folder.path, 'known-private.json');
  const known = openKnownPrivate(file);
  expect(known.list()).toEqual([]);
  known.keep(['192.0.2.1:853', 'dns.example:53']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, 'utf8');
  known.keep(['dns.example:53', '192.0.2.1:853']);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(openKnownPrivate(file).list()).toEqual(['192.0.2.1:853', 'dns.example:53']);
  known.keep([]);
  expect(openKnownPrivate(file).list()).toEqual([]);
});

const key = '0123456789abcdef'.repeat(4);

test.each([
  ['', []],
  ['[]', []],
  ['{"servers":[5]}', []],
  [
    '{"servers":["192.0.2.1", "192.0.2.1:0", "x y:53", "[2001:db8::1]:853"]}',
    ['[2001:db8::1]:853'],
  ],
  [`{"servers":["encdns:${key}", "encdns:${key}00", "encdns:"]}`, [`encdns:${key}`]],
])('%j is read as %j', (text, expected) => {
  const file = folder.write('known-private.json', text);
  expect(openKnownPrivate(file).list()).toEqual(expected);
});

test('no more than the engine would keep, the latest ones', () => {
  const servers = Array.from({ length: 300 }, (_, index) => `192.0.2.1:${index + 1}`);
  const file = folder.write('known-private.json', JSON.stringify({ servers }));
  expect(openKnownPrivate(file).list()).toEqual(servers.slice(-256));
});
