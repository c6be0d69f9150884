import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../settings/test-folder.ts';
import { writeGuardianPolicy } from './guardian-policy.ts';

let folder: TestFolder;
let state: string;
let file: string;
beforeEach(() => {
  folder = testFolder();
  state = join(folder.path, 'state');
  file = join(state, 'guardian.json');
});
afterEach(() => folder.remove());

test('the last policy stands in the file, for its owner only', () => {
  expect(writeGuardianPolicy(state, { policy: 'fallback', locked: false }).ok).toBe(true);
  expect(writeGuardianPolicy(state, { policy: 'warn', locked: true }).ok).toBe(true);
  // As native/guardian/src/policy.rs reads it: these fields and no others.
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ policy: 'warn', locked: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a policy that can not be written leaves none behind, which refuses', () => {
  writeGuardianPolicy(state, { policy: 'fallback', locked: false });
  mkdirSync(`${file}.new`);
  expect(writeGuardianPolicy(state, { policy: 'refuse', locked: false })).toMatchObject({
    failure: { code: 'state-unwritable', subject: file },
  });
  expect(existsSync(file)).toBe(false);
});

test('what can neither be written nor removed is told, and stops nobody', () => {
  mkdirSync(join(folder.path, 'guardian.json'));
  expect(writeGuardianPolicy(folder.path, { policy: 'refuse', locked: false })).toMatchObject({
    failure: { code: 'state-unwritable', message: expect.stringMatching(/what it read before/) },
  });
});
