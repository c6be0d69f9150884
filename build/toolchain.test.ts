import { expect, test } from 'vitest';
import { isOlder, report, rustVersion } from './toolchain.mjs';

test('the version of cargo is read from what it prints', () => {
  expect(rustVersion('cargo 1.95.0 (f2d3ce0bd 2026-03-21)')).toEqual([1, 95]);
  expect(rustVersion('cargo 1.88.0-nightly')).toEqual([1, 88]);
});

test('no cargo has no version', () => {
  expect(rustVersion(undefined)).toBeUndefined();
  expect(rustVersion('zsh: command not found: cargo')).toBeUndefined();
});

test.each([
  [[1, 87], true],
  [[1, 88], false],
  [[1, 100], false],
  [[0, 99], true],
  [[2, 0], false],
])('%j is older than 1.88: %s', (version, expected) => {
  expect(isOlder(version, [1, 88])).toBe(expected);
});

test('a missing tool is reported with the way to get it', () => {
  const text = report([{ what: 'clippy', how: 'rustup component add clippy' }]);
  expect(text).toContain('  clippy\n    rustup component add clippy');
});
