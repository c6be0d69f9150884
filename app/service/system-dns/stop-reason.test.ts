import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readStopReason } from './stop-reason.ts';

const us = process.getuid?.() ?? 0;

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-word-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'stop-reason');
}

const read = (file: string) => readStopReason(file, Date.now(), us);

test.each([
  ['stop\n', 'stop'],
  ['restart\n', 'restart'],
  ['shutdown\n', 'shutdown'],
  ['stop', null],
  ['', null],
  ['stop\nrestart\n', null],
  ['STOP\n', null],
  [`${' '.repeat(4096)}stop\n`, null],
])('%j says %s', (text, reason) => {
  const file = place();
  writeFileSync(file, text);
  expect(read(file)).toBe(reason);
});

test('no file, and a minute later, say nothing', () => {
  const file = place();
  expect(read(file)).toBeNull();
  expect(read(join(file, 'stop-reason'))).toBeNull();
  writeFileSync(file, 'stop\n');
  const { mtimeMs } = statSync(file);
  expect(readStopReason(file, mtimeMs + 59_999, us)).toBe('stop');
  expect(readStopReason(file, mtimeMs + 60_000, us)).toBeNull();
});

test('nobody but its owner can have said it', () => {
  const file = place();
  writeFileSync(file, 'stop\n');
  expect(readStopReason(file, Date.now(), us + 1)).toBeNull();
  chmodSync(file, 0o666);
  expect(read(file)).toBeNull();
});

test('what is no file is not read, and nothing waits for it', () => {
  const file = place();
  writeFileSync(`${file}.real`, 'stop\n');
  symlinkSync(`${file}.real`, file);
  expect(read(file)).toBeNull();
  mkdirSync(`${file}.folder`);
  expect(read(`${file}.folder`)).toBeNull();
  execFileSync('mkfifo', [`${file}.pipe`]);
  expect(read(`${file}.pipe`)).toBeNull();
});
