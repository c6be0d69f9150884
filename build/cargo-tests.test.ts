import { expect, test } from 'vitest';
import { readCargoOutput } from './cargo-tests.ts';

const twoBinaries = `
running 2 tests
test cache::negative_expires ... ok
test wire::name::too_long ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

running 2 tests
test needs_a_second_address ... ignored, the machine has no IPv6
test keepalive ... ok

test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
`;

test('sums over binaries and keeps the reasons of ignored tests', () => {
  expect(readCargoOutput(twoBinaries, 0)).toEqual({
    passed: 3,
    failed: [],
    skipped: [{ test: 'needs_a_second_address', reason: 'the machine has no IPv6' }],
    crashes: [],
  });
});

test('a test that reports a skip has not passed, whatever its binary counts', () => {
  const output = `
running 2 tests
test nsd_and_we_agree ... skipped, no nsd: apt-get install nsd
test nsd_and_we_agree ... ok
test plain ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
`;
  expect(readCargoOutput(output, 0)).toEqual({
    passed: 1,
    failed: [],
    skipped: [{ test: 'nsd_and_we_agree', reason: 'no nsd: apt-get install nsd' }],
    crashes: [],
  });
});

test('a failed test is named and does not count as a crash', () => {
  const output = `
running 1 test
test resumption ... FAILED

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
`;
  const result = readCargoOutput(output, 101);
  expect(result.failed).toEqual(['resumption']);
  expect(result.crashes).toEqual([]);
});

test('a binary that never finished counts as a crash', () => {
  const result = readCargoOutput('\nrunning 12 tests\ntest one ... ok\n', 101);
  expect(result.crashes).toHaveLength(1);
});

test('a compile error counts as a crash, although no test ran', () => {
  expect(readCargoOutput('', 101).crashes).toHaveLength(1);
});
