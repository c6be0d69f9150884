import { existsSync, lchownSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder } from './private-folder.ts';
import { testFolder } from './test-folder.ts';

test('a folder and its parents are made for their owner only, and left alone when they are there', () => {
  const folder = testFolder();
  const path = join(folder.path, 'a', 'b');
  makePrivateFolder(path);
  makePrivateFolder(path);
  for (const made of [path, join(folder.path, 'a')])
    expect(statSync(made).mode & 0o777).toBe(0o700);
  folder.remove();
});

test('where no folder can be made it fails at once', ({ skip }) => {
  skip(process.platform !== 'linux', 'needs /proc, a folder that takes no others');
  expect(() => makePrivateFolder('/proc/nope/deeper')).toThrow(/ENOENT/);
});

test('none is made behind a link of another user', ({ skip }) => {
  skip(process.geteuid?.() !== 0, 'only root can be led elsewhere: run as root');
  const { path: folder, remove } = testFolder();
  mkdirSync(join(folder, 'roots'));
  symlinkSync('roots', join(folder, 'link'));
  makePrivateFolder(join(folder, 'link', 'own'));
  lchownSync(join(folder, 'link'), 12_345, 12_345);
  expect(() => makePrivateFolder(join(folder, 'link', 'a', 'b'))).toThrow(/link of another user/);
  expect(existsSync(join(folder, 'roots', 'a'))).toBe(false);
  remove();
});
