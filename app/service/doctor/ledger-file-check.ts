/** Whether the downgrade ledger is as it must be: on disk, writable, and its owner's alone. */
import { accessSync, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { say } from '../../contract/sentences/sentence.ts';
import { codesOfIssue, type HealthIssue } from '../../contract/status/health-issue.ts';
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
    // its folder may be another user's, who could have put a pipe there
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (fstatSync(descriptor).isFile()) readSync(descriptor, start);
    } finally {
      closeSync(descriptor);
    }
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
  if (unwritten !== undefined)
    return {
      ...fail('ledger-file', unwritten.text, unwritten.remedy),
      says: codesOfIssue(unwritten),
    };
  if (file.state === 'hidden')
    return warn('ledger-file', say('ledger-file-hidden', { file: name }), say('run-as-owner'));
  if (file.state === 'missing')
    return issues === null
      ? ok('ledger-file', say('ledger-file-not-yet', { file: name }))
      : fail('ledger-file', say('ledger-file-deleted', { file: name }), say('restart-service'));
  return judgeContent(name, file);
}

function judgeContent(
  name: string,
  { writable, database, permissions }: Extract<LedgerFile, { state: 'there' }>,
): Finding {
  if (!database)
    return fail(
      'ledger-file',
      say('ledger-file-no-database', { file: name }),
      say('set-ledger-aside'),
    );
  if (!writable)
    return fail('ledger-file', say('ledger-file-unwritable', { file: name }), say('check-owner'));
  if ((permissions & 0o077) !== 0)
    return warn(
      'ledger-file',
      say('ledger-file-open-to-others', { file: name }),
      say('close-ledger-file', { file: name }),
    );
  return ok('ledger-file', say('ledger-file-sound', { file: name }));
}

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
