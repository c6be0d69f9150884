/**
 * settings.json as a text, read and written by the service: it writes only over the file that it has read, and never over one
 * with an error.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { writeDurably } from '../base/durable-file.ts';
import { sayErrno } from '../base/errno-words.ts';
import { mostProblems, type Problem, parseSettingsText } from './settings-text.ts';

/** `null`: there is no file. */
export type Text = string | null;

export function readText(file: string): Result<Text> {
  try {
    return succeed(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return succeed(null);
    return fail(
      'settings-unreadable',
      sayErrno(error),
      'check who owns it and its permissions',
      file,
    );
  }
}

/** The start of an edit: the present file, and its meaning, which differs where the file vanished. */
export interface Base {
  found: Text;
  meant: Text;
}

/** The file must be whole, and the one that was read. */
export function readSound(
  file: string,
  meaning: (text: Text) => Text,
  ifRevision: string | undefined,
): Result<Base> {
  const read = readText(file);
  if (!read.ok) return read;
  const found = read.value;
  if (ifRevision !== undefined && ifRevision !== revisionOf(found)) return changedMeanwhile();
  const meant = meaning(found);
  const { problems } = meant === null ? { problems: [] } : parseSettingsText(file, meant);
  return problems.length > 0 ? invalid(problems) : succeed({ found, meant });
}

/** There is no wait between this look at the file and the moment in which the new file replaces it. */
export function writeOver(file: string, expected: Text, next: string): Result<null> {
  const now = readText(file);
  if (!now.ok) return now;
  if (now.value !== expected) return changedMeanwhile();
  try {
    // A file that is kept elsewhere and linked to stays there.
    const place = expected === null ? file : realpathSync(file);
    writeDurably(place, next, expected === null ? undefined : statSync(place).mode & 0o777);
    return succeed(null);
  } catch (error) {
    return fail(
      'state-unwritable',
      `can't write ${file}: ${sayErrno(error)}; nothing was changed`,
      'free space on the disk and check who owns the file',
      file,
    );
  }
}

/** Identifies a text, and no other. */
export function revisionOf(text: Text): string {
  return text === null ? 'none' : createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function invalid(problems: readonly Problem[]): Result<never> {
  const told = problems.slice(0, mostProblems);
  const words = told.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`));
  return fail(
    'settings-invalid',
    words.join('\n'),
    'correct the value; see each setting with: sotto config show',
    problems[0]?.path ?? null,
  );
}

function changedMeanwhile(): Result<never> {
  return fail(
    'settings-changed',
    'settings.json was changed meanwhile; nothing was written over it',
    'look at it again, then repeat the change',
  );
}
