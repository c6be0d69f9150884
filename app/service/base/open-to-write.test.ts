import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTo } from './open-to-write.ts';
import { testFolder } from './test-folder.ts';

const somebody = 12_345;
let folder: string;
let remove: () => void;

beforeEach(() => {
  ({ path: folder, remove } = testFolder());
});

afterEach(() => remove());

test('what is new is new, and what is written over keeps its name and mode', () => {
  const file = join(folder, 'file');
  writeTo(file, 'first and longer', 'new', 0o600);
  expect(() => writeTo(file, 'second', 'new', 0o600)).toThrow(/EEXIST/);
  writeTo(file, 'second', 'over', 0o644);
  writeTo(file, ' third', 'append', 0o644);
  expect(readFileSync(file, 'utf8')).toBe('second third');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('ones own links are followed, and not in a circle', () => {
  symlinkSync('target', join(folder, 'link'));
  writeTo(join(folder, 'link'), 'text', 'over', 0o600);
  expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('text');
  mkdirSync(join(folder, 'real'));
  symlinkSync('../real', join(folder, 'real', 'again'));
  writeTo(join(folder, 'real', 'again', 'again', 'file'), 'text', 'new', 0o600);
  expect(readFileSync(join(folder, 'real', 'file'), 'utf8')).toBe('text');
  symlinkSync('circle', join(folder, 'circle'));
  expect(() => writeTo(join(folder, 'circle', 'file'), 'text', 'new', 0o600)).toThrow(/links/);
});

test('a pipe that nobody reads is not waited for', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const writing of ['over', 'append'] as const)
    expect(() => writeTo(pipe, 'text', writing, 0o600)).toThrow(/ENXIO/);
});

test('what another user put in its place is not written to by root', (context) => {
  if (process.geteuid?.() !== 0) context.skip('only root can be led elsewhere: run as root');
  const victim = join(folder, 'victim');
  writeFileSync(victim, "root's");
  for (const target of ['victim', 'not-there']) {
    const link = join(folder, `to-${target}`);
    symlinkSync(target, link);
    lchownSync(link, somebody, somebody);
    for (const writing of ['over', 'append', 'new'] as const)
      expect(() => writeTo(link, 'text', writing, 0o600)).toThrow(/link of another user/);
  }
  const away = join(folder, 'away');
  mkdirSync(join(folder, 'roots'));
  symlinkSync('roots', away);
  lchownSync(away, somebody, somebody);
  expect(() => writeTo(join(away, 'file'), 'text', 'new', 0o600)).toThrow(
    `${away} is a symbolic link of another user`,
  );
  expect(existsSync(join(folder, 'roots', 'file'))).toBe(false);
  linkSync(victim, join(folder, 'second-name'));
  expect(() => writeTo(join(folder, 'second-name'), 'text', 'over', 0o600)).toThrow(/second name/);
  expect(readFileSync(victim, 'utf8')).toBe("root's");
  expect(existsSync(join(folder, 'not-there'))).toBe(false);
});
