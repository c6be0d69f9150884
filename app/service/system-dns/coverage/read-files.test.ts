import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../base/test-folder.ts';
import { desktopApplications } from '../../query-log/desktop-applications.ts';
import { systemFiles } from './read-files.ts';

test('a pipe or a device in the place of a file of another program is neither waited for nor read', ({
  skip,
}) => {
  if (process.platform === 'win32') return skip('this system has no mkfifo');
  const folder = testFolder();
  const pipe = join(folder.path, 'prefs.desktop');
  execFileSync('mkfifo', [pipe]);
  expect([systemFiles.read(pipe), systemFiles.read('/dev/zero')]).toEqual([null, null]);
  expect(desktopApplications([folder.path])('prefs')).toEqual({ name: '', icon: '' });
  expect(systemFiles.read(folder.write('there', 'text'))).toBe('text');
  folder.remove();
});
