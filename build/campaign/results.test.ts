import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../commands.mjs';
import { inRoot } from '../places.mjs';
import { campaigns } from './campaigns.ts';
import { readResults, whatIsOld, withResult, writeResults } from './results.ts';

const [first] = campaigns.map(({ script }) => script);
const passed = { script: first ?? '', verdict: 'passed', date: '2026-03-01', commit: 'abc1234' };

test('each campaign is a command', () => {
  for (const { script } of campaigns) expect(commands[script], script).toBeDefined();
});

test('what is written is read again, and a later run takes the place of an earlier one', () => {
  const earlier = { ...passed, verdict: 'failed', date: '2026-02-01' };
  const results = withResult([earlier], passed);
  expect(readResults(writeResults(results))).toEqual([passed]);
  expect(readResults('| `npm run lab:policy` | it | maybe | 2026-03-01 | abc |')).toEqual([]);
});

test.each([
  [passed, '2026-03-15', null],
  [passed, '2026-03-16', 'passed 15 days ago'],
  [{ ...passed, verdict: 'failed' }, '2026-03-02', 'failed 1 days ago'],
  [null, '2026-03-02', 'never ran'],
])('%j on %s', (result, today, why) => {
  const old = whatIsOld(result ? [result] : [], new Date(today));
  const line = old.find((one) => one.includes(`npm run ${first} `));
  if (why === null) expect(line).toBeUndefined();
  else expect(line).toContain(why);
});

test('the table is as it would be written', () => {
  const table = readFileSync(inRoot('docs', 'measurements', 'campaigns.md'), 'utf8');
  expect(writeResults(readResults(table))).toBe(table);
});
