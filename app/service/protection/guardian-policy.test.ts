import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { openGuardianWord } from './guardian-policy.ts';

let folder: TestFolder;
let state: string;
let file: string;
beforeEach(() => {
  folder = testFolder();
  state = join(folder.path, 'state');
  file = join(state, 'guardian.json');
});
afterEach(() => folder.remove());

const read = () => JSON.parse(readFileSync(file, 'utf8'));

test('the last word stands in the file, for its owner only', () => {
  const word = openGuardianWord(state);
  expect(word.policy({ policy: 'fallback', locked: false }).ok).toBe(true);
  expect(word.policy({ policy: 'warn', locked: true }).ok).toBe(true);
  // native/guardian-policy reads these fields and no others.
  expect(read()).toEqual({ policy: 'warn', locked: true, taken: false });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(word.taken(true).ok).toBe(true);
  expect(read()).toEqual({ policy: 'warn', locked: true, taken: true });
  word.taken(false);
  expect(read()).toMatchObject({ taken: false });
});

test('what an earlier life had taken is so until somebody has looked, and nothing is said without a policy', () => {
  const earlier = openGuardianWord(state);
  earlier.taken(true);
  expect(existsSync(file)).toBe(false);
  earlier.policy({ policy: 'warn', locked: false });
  openGuardianWord(state).policy({ policy: 'refuse', locked: false });
  expect(read()).toEqual({ policy: 'refuse', locked: false, taken: true });
  const later = openGuardianWord(state);
  later.taken(false);
  later.policy({ policy: 'refuse', locked: false });
  expect(read()).toMatchObject({ taken: false });
});

test('a word that can not be written leaves none behind, which refuses', () => {
  const word = openGuardianWord(state);
  word.policy({ policy: 'fallback', locked: false });
  mkdirSync(`${file}.new`);
  expect(word.policy({ policy: 'refuse', locked: false })).toMatchObject({
    failure: { code: 'state-unwritable', subject: file },
  });
  expect(existsSync(file)).toBe(false);
});

test('what can neither be written nor removed is told, and stops nobody', () => {
  mkdirSync(join(folder.path, 'guardian.json'));
  const word = openGuardianWord(folder.path);
  expect(word.policy({ policy: 'refuse', locked: false })).toMatchObject({
    failure: { code: 'state-unwritable', message: expect.stringMatching(/what it read before/) },
  });
});
