import { appendFileSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccountNumbers } from './account-numbers.ts';

const file = join(mkdtempSync(join(tmpdir(), 'sotto-accounts-')), 'passwd');

test('accounts of this machine are read from its file, again when it changes', () => {
  writeFileSync(file, 'root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n');
  const numberOf = createAccountNumbers(file, () => Promise.resolve(null));
  expect(['root', 'ann', 'bob'].map(numberOf)).toEqual([0, 1000, null]);
  appendFileSync(file, 'bob:x:1001:1001::/home/bob:/bin/sh\n');
  utimesSync(file, 1, 1);
  expect(numberOf('bob')).toBe(1001);
});

test('accounts of a directory are known once it has responded, and asked for again later', async () => {
  writeFileSync(file, '');
  const asked: string[] = [];
  let [line, time]: [string | null, number] = ['carol:x:2000:2000::/:/bin/sh', 0];
  const numberOf = createAccountNumbers(
    file,
    (name) => {
      asked.push(name);
      return Promise.resolve(line);
    },
    () => time,
  );
  expect(numberOf('carol')).toBeNull();
  await Promise.resolve();
  expect([numberOf('carol'), asked]).toEqual([2000, ['carol']]);
  [line, time] = [null, 61_000];
  expect(numberOf('carol')).toBe(2000);
  await Promise.resolve();
  expect([numberOf('carol'), asked.length]).toEqual([null, 2]);
});
