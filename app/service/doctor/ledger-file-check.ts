/** Whether the downgrade ledger can be what it must be: on disk, written, and nobody else's. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import type { HealthIssue } from '../../contract/health-issue.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export type LedgerFile =
  | { state: 'missing' }
  | { state: 'hidden' }
  | { state: 'there'; writable: boolean; database: boolean; permissions: number };

/** How every database of its kind begins (https://www.sqlite.org/fileformat.html, section 1.3). */
const magic = 'SQLite format 3\0';

/** It is looked at from outside: the service holds a lock on it. */
export function readLedgerFile(file: string): LedgerFile {
  try {
    const { mode, size } = statSync(file);
    const start = Buffer.alloc(magic.length);
    const descriptor = openSync(file, 'r');
    readSync(descriptor, start);
    closeSync(descriptor);
    const database = size === 0 || start.toString('latin1') === magic;
    return { state: 'there', writable: canWrite(file), database, permissions: mode & 0o777 };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? { state: 'missing' }
      : { state: 'hidden' };
  }
}

/** `issues`: of the running service; null where none runs. */
export function judgeLedgerFile(
  name: string,
  file: LedgerFile,
  issues: readonly HealthIssue[] | null,
): Finding {
  const unwritten = issues?.find(({ code }) => code === 'ledger-unwritable');
  if (unwritten !== undefined) return fail('ledger-file', unwritten.text, unwritten.remedy);
  if (file.state === 'hidden')
    return warn(
      'ledger-file',
      `${name} can't be looked at by this user.`,
      'run this as the user who runs Sotto, or as root',
    );
  if (file.state === 'missing')
    return issues === null
      ? ok('ledger-file', `There is no ${name} yet; the first start makes it.`)
      : fail(
          'ledger-file',
          `${name} was deleted under the running service: what it writes is lost.`,
          'restart the service',
        );
  return judgeContent(name, file);
}

function judgeContent(
  name: string,
  { writable, database, permissions }: Extract<LedgerFile, { state: 'there' }>,
): Finding {
  if (!database)
    return fail(
      'ledger-file',
      `${name} is no database any more.`,
      'keep a copy, move it away, and restart the service, which begins a new one',
    );
  if (!writable)
    return fail(
      'ledger-file',
      `${name} can't be written.`,
      'check who owns it and its permissions',
    );
  if ((permissions & 0o077) !== 0)
    return warn(
      'ledger-file',
      `Other users may read or change ${name}.`,
      `chmod 600 ${name}; the service does so when it starts`,
    );
  return ok('ledger-file', `${name} can be written, by its owner alone.`);
}

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
