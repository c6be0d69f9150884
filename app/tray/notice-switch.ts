/** Whether the tray shows notices by itself. They are off where an empty file stands among its own; results of what a person asked for are shown anyway. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fail, type Result, succeed } from '../contract/errors.ts';

export function showsNotices(folder: string): boolean {
  return !existsSync(fileIn(folder));
}

export function setShowsNotices(folder: string, wanted: boolean): Result<null> {
  const file = fileIn(folder);
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (wanted) rmSync(file, { force: true });
    else writeFileSync(file, '');
    return succeed(null);
  } catch (error) {
    return fail(
      'state-unwritable',
      `whether Sotto shows notifications could not be written: ${(error as Error).message}`,
      'free space on the disk, and check who may write there',
      file,
    );
  }
}

function fileIn(folder: string): string {
  return join(folder, 'no-notifications');
}
