import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOlder, report, rustVersion, whyNoRust } from './toolchain.mjs';

test('the version of cargo is read from what it prints', () => {
  expect(rustVersion('cargo 1.95.0 (f2d3ce0bd 2026-03-21)')).toEqual([1, 95]);
  expect(rustVersion('cargo 1.88.0-nightly')).toEqual([1, 88]);
});

test('without cargo there is no version', () => {
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

test('rustup without a toolchain is reported as such, and not as missing', ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-rustup-'));
  const env = { ...process.env, RUSTUP_HOME: folder, RUSTUP_TOOLCHAIN: undefined };
  const cargo = spawnSync('cargo', ['--version'], { cwd: folder, encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  if (cargo.status === 0 || cargo.error) skip('cargo is not rustup’s: https://rustup.rs');
  expect(whyNoRust(cargo)).toEqual({
    what: 'a Rust toolchain (rustup is there, with none)',
    how: 'rustup default stable',
  });
});

test('a cargo that is missing, or does not run, is reported as such', () => {
  expect(whyNoRust({ error: new Error('ENOENT'), stderr: null }).what).toContain('was not found');
  expect(whyNoRust({ stderr: 'error: it is broken\nmore' }).what).toBe(
    'Rust (cargo does not run: error: it is broken)',
  );
});

test('a missing tool is reported together with how to install it', () => {
  const text = report([{ what: 'clippy', how: 'rustup component add clippy' }]);
  expect(text).toContain('  clippy\n    rustup component add clippy');
});
