import { expect, test } from 'vitest';
import { directoryLookups } from './directory-lookups.ts';

/** A directory that responds when it is told to. */
function slowDirectory() {
  const asked: string[] = [];
  const open: (() => void)[] = [];
  const ask = (account: string) => {
    asked.push(account);
    return new Promise<string | null>((resolve) => open.push(() => resolve(`line of ${account}`)));
  };
  return { asked, open, ask };
}

test('however many are wanted at once, one is looked up at a time, and few wait', async () => {
  const { asked, open, ask } = slowDirectory();
  const { lookUp, known } = directoryLookups((line) => line, { ask, now: () => 0 });
  for (let index = 0; index < 4000; index++) expect(lookUp(`made-up-${index}`)).toBeNull();
  expect(asked).toEqual(['made-up-0']);
  for (let index = 0; index < 64; index++) {
    open.shift()?.();
    await expect.poll(() => open.length).toBe(1);
  }
  open.shift()?.();
  await expect.poll(() => known('made-up-64')).toBe('line of made-up-64');
  expect(asked).toHaveLength(65);
  expect(lookUp('made-up-3999')).toBeNull();
  expect(asked).toHaveLength(66);
});

test('what is known stays known while it is looked up again, and to ask what is known asks nobody', async () => {
  let time = 0;
  const { asked, open, ask } = slowDirectory();
  const { lookUp, known } = directoryLookups((line) => line, { ask, now: () => time });
  expect([known('ann'), asked]).toEqual([null, []]);
  lookUp('ann');
  open.shift()?.();
  await expect.poll(() => known('ann')).toBe('line of ann');
  time = 60_000;
  expect([lookUp('ann'), asked.length]).toEqual(['line of ann', 2]);
});
