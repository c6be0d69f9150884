import { expect, test } from 'vitest';
import { readLogFilter } from '../../../app/contract/query-log/log-filter-reading.ts';
import { completeFilter, type Occurring } from './complete-filter.ts';

const rows = 1;
const occurring = {
  upstream: [{ value: 'quad9', rows }],
  type: [
    { value: 'A', rows },
    { value: 'AAAA', rows },
    { value: 'HTTPS', rows },
  ],
  program: [
    { value: 'firefox', rows },
    { value: 'two words', rows },
    { value: '', rows },
  ],
} as unknown as Occurring;

const complete = (text: string, caret = text.length) =>
  completeFilter(text, caret, occurring).map((one) => one.text);

test.each<[string, string[]]>([
  ['', []],
  ['o', ['outcome:']],
  ['-o', ['-outcome:']],
  ['herald ou', ['herald outcome:']],
  ['zzz', []],
  ['type:', ['type:A', 'type:AAAA', 'type:HTTPS']],
  ['type:a', ['type:A', 'type:AAAA']],
  ['type:A,h', ['type:A,HTTPS']],
  ['upstream:quad9', []],
  ['outcome:fa', ['outcome:failed']],
  ['-clear:off,pa', ['-clear:off,paused']],
  ['program:', ['program:firefox', 'program:"two words"']],
  ['slower:', ['slower:100ms', 'slower:1s']],
  ['rule:', []],
  ['name:x', []],
  ['nothing:x', []],
  ['/o', []],
  ['"o', []],
  ['o ', []],
])('%s', (typed, expected) => {
  expect(complete(typed)).toEqual(expected);
});

test('the word at the caret is completed, and what follows stays', () => {
  expect(completeFilter('outc herald', 4, null)).toEqual([
    { text: 'outcome: herald', caret: 8, shown: 'outcome:' },
  ]);
  expect(complete('outcome:fa', 3)).toEqual([]);
});

test('what is completed can be read', () => {
  for (const typed of ['type:', 'outcome:', 'program:', 'slower:', 'since:'])
    for (const text of complete(typed)) expect(readLogFilter(text).ok, text).toBe(true);
});
