import { expect, test } from 'vitest';
import { testEachOnce } from './tests-under-way.ts';

test('however many ask for a test, one of each upstream is under way, and the next one is a new one', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const tested = testEachOnce((upstream) => {
    begun.push(upstream);
    return new Promise<string>((resolve) => ends.push(() => resolve(`report ${begun.length}`)));
  });
  const asked = Array.from({ length: 100 }, (_, index) => tested(index % 2 === 0 ? 'a' : 'b'));
  expect(begun).toEqual(['a', 'b']);
  for (const end of ends.splice(0)) end();
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['report 2']));
  void tested('a');
  expect(begun).toEqual(['a', 'b', 'a']);
});

test('a test that throws is not shared with those who ask later', async () => {
  let fails = true;
  const tested = testEachOnce(async () => {
    if (fails) throw new Error('no');
    return 'a report';
  });
  await expect(tested('a')).rejects.toThrow('no');
  fails = false;
  expect(await tested('a')).toBe('a report');
});
