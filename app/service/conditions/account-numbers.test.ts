import { appendFileSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccountNumbers } from './account-numbers.ts';

const folder = mkdtempSync(join(tmpdir(), 'sotto-accounts-'));
const file = join(folder, 'passwd');
const files = { accounts: file, subordinates: join(folder, 'subuid') };

test('accounts of this machine are read from its file, again when it changes', () => {
  writeFileSync(file, 'root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n');
  const { numberOf } = createAccountNumbers(files, () => Promise.resolve(null));
  expect(['root', 'ann', 'bob'].map(numberOf)).toEqual([0, 1000, null]);
  appendFileSync(file, 'bob:x:1001:1001::/home/bob:/bin/sh\n');
  utimesSync(file, 1, 1);
  expect(numberOf('bob')).toBe(1001);
});

test('accounts of a directory are known once it has responded, and asked for again later', async () => {
  writeFileSync(file, '');
  const asked: string[] = [];
  let [line, time]: [string | null, number] = ['carol:x:2000:2000::/:/bin/sh', 0];
  const { numberOf } = createAccountNumbers(
    files,
    (name) => {
      asked.push(name);
      return Promise.resolve(line);
    },
    () => time,
  );
  expect(numberOf('carol')).toBeNull();
  await expect.poll(() => numberOf('carol')).toBe(2000);
  expect(asked).toEqual(['carol']);
  [line, time] = [null, 61_000];
  expect(numberOf('carol')).toBe(2000);
  await expect.poll(() => numberOf('carol')).toBeNull();
  expect(asked).toHaveLength(2);
});

test('an account may run programs under its subordinate numbers, whether the file has its name or its number', () => {
  writeFileSync(file, 'ann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\n');
  const { subordinatesOf } = createAccountNumbers(files, () => Promise.resolve(null));
  expect(subordinatesOf('ann')).toEqual([]);
  const nonsense = ['ann', 'ann:1', 'ann:x:5', 'ann:-1:5', 'ann:4294967290:7', '::', ''];
  const lines = ['ann:100000:65536', '1000:300000:10', 'bob:165536:65536', ...nonsense];
  writeFileSync(files.subordinates, lines.join('\n'));
  for (const account of ['ann', 1000])
    expect(subordinatesOf(account)).toEqual([
      [100_000, 65_536],
      [300_000, 10],
    ]);
  expect([subordinatesOf(1001), subordinatesOf('carol'), subordinatesOf(7)]).toEqual([
    [[165_536, 65_536]],
    [],
    [],
  ]);
});
