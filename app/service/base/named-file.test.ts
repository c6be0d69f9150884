import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readNamedFile } from './named-file.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

test('a regular file is read whole, also by a link, up to the bound', () => {
  const file = folder.write('four', 'abcd');
  const link = join(folder.path, 'link');
  symlinkSync(file, link);
  expect(readNamedFile(link, 4)).toEqual({ octets: Buffer.from('abcd') });
  expect(readNamedFile(file, 3)).toEqual({ reason: 'it is larger than 3 octets' });
});

test('neither folder, device nor pipe is opened, and none is waited for', ({ skip }) => {
  if (process.platform === 'win32') return skip('this system has neither /dev/zero nor mkfifo');
  const pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const file of ['/dev/zero', '/dev/tty', pipe])
    expect(readNamedFile(file, 9)).toEqual({ reason: 'it is not a regular file' });
  expect(readNamedFile(folder.path, 9)).toEqual({ reason: 'it is a folder' });
  expect(readNamedFile(join(folder.path, 'none'), 9)).toEqual({
    reason: 'there is no such file',
  });
});

test('a file that says it is empty and is not ends at the bound', ({ skip }) => {
  const file = '/proc/self/maps';
  if (!existsSync(file)) return skip('this system has no /proc');
  expect(readNamedFile(file, 20)).toEqual({ reason: 'it is larger than 20 octets' });
});
