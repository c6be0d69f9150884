import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { createAccountNames } from './account-names.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const nobodyElse = () => Promise.resolve(null);

test('accounts of this machine have their names, the first of a number, and others their number', () => {
  const text = '# accounts\nroot:x:0:0::/:/bin/sh\nann:x:1000::\nann2:x:1000::\nbroken:x\n:x:5::\n';
  const names = createAccountNames(folder.write('passwd', text), nobodyElse);
  expect([0, 1000, 1001, 5].map((uid) => names.nameOf(uid))).toEqual([
    'root',
    'ann',
    'user 1001',
    'user 5',
  ]);
});

test('an account that is made later is found; a missing file is no error', () => {
  const names = createAccountNames(join(folder.path, 'passwd'), nobodyElse);
  expect(names.nameOf(7)).toBe('user 7');
  folder.write('passwd', 'bob:x:7:7::/:/bin/sh\n');
  expect(names.nameOf(7)).toBe('bob');
});

test('what a directory says counts when it has come, and goes on counting while it is asked again', async () => {
  let now = 0;
  let asked = 0;
  let answer = (_line: string | null) => {};
  const ask = () => {
    asked++;
    return new Promise<string | null>((resolve) => {
      answer = resolve;
    });
  };
  const names = createAccountNames(join(folder.path, 'none'), ask, () => now);
  expect([names.nameOf(9), names.nameOf(9)]).toEqual(['user 9', 'user 9']);
  answer('zoe:*:9:9::/:\n');
  await expect.poll(() => names.nameOf(9)).toBe('zoe');
  now += 3_600_000;
  expect([names.nameOf(9), asked]).toEqual(['zoe', 2]);
});

test('a number without an account is asked for again a minute later, not with every connection', async () => {
  let now = 0;
  let asked = 0;
  const ask = () => {
    asked++;
    return nobodyElse();
  };
  const names = createAccountNames(join(folder.path, 'none'), ask, () => now);
  names.nameOf(9);
  now = 59_999;
  names.nameOf(9);
  expect(asked).toBe(1);
  now = 60_000;
  names.nameOf(9);
  await expect.poll(() => asked).toBe(2);
});

test('this machine names the user of this process', async ({ skip }) => {
  const uid = process.getuid?.();
  if (uid === undefined) return skip('this system has no user numbers');
  const names = createAccountNames();
  if (names.nameOf(uid).startsWith('user ')) return skip('this user has no account here');
  await expect.poll(() => names.nameOf(uid)).toBe(userInfo().username);
});
