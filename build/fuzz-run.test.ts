import { expect, test } from 'vitest';
import { readFuzzOutput } from './fuzz-run.ts';

test('a target that found nothing has passed', () => {
  const result = readFuzzOutput('wire: Done 1000 runs in 6 second(s)\nquery: Done 9 runs\n', 0);
  expect(result).toEqual({ passed: 2, failed: [], skipped: [], crashes: [] });
});

test('a target that found something has failed', () => {
  const result = readFuzzOutput('wire: Done 9 runs\nquery: found something, see above\n', 1);
  expect(result).toMatchObject({ passed: 1, failed: ['fuzz target query'], crashes: [] });
});

test('a missing toolchain is a skip with its reason', () => {
  const result = readFuzzOutput('skipped fuzzing: there is no nightly toolchain (rustup …)\n', 0);
  expect(result.skipped[0]?.reason).toBe('there is no nightly toolchain (rustup …)');
  expect(result.crashes).toEqual([]);
});

test.each([
  ['', 101],
  ['', 0],
])('an end without a result counts as a crash', (output, code) => {
  expect(readFuzzOutput(output, code).crashes).toHaveLength(1);
});
