/**
 * The number of an account. Accounts of this machine are read from its file; those of a directory are looked up beside, and
 * their number is known with a later call.
 */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import type { NumberOf } from './condition-here.ts';

/** Resolves to a line as in passwd(5); null where there is no such account. */
type AskDirectory = (name: string) => Promise<string | null>;

/** Of the C library: it uses every source that nsswitch.conf(5) names. */
const directoryProgram = 'getent';

/** An account is looked up again after this time: it may have come, gone, or got another number. */
const forgetAfterMs = 60_000;

export function createAccountNumbers(
  file = '/etc/passwd',
  askDirectory: AskDirectory = getent,
  now: () => number = Date.now,
): NumberOf {
  let read: { changed: number; numbers: Map<string, number> } | null = null;
  const directory = new Map<string, { asked: number; number: number | null }>();

  function local(name: string): number | null {
    try {
      const { mtimeMs: changed } = statSync(file);
      if (read?.changed !== changed)
        read = { changed, numbers: readNumbers(readFileSync(file, 'utf8')) };
      return read.numbers.get(name) ?? null;
    } catch {
      return null;
    }
  }

  function remote(name: string): number | null {
    const known = directory.get(name);
    if (known !== undefined && Math.abs(now() - known.asked) < forgetAfterMs) return known.number;
    const asked = { asked: now(), number: known?.number ?? null };
    directory.set(name, asked);
    askDirectory(name).then(
      (line) => {
        asked.number = line === null ? null : (readNumbers(line).get(name) ?? null);
      },
      () => {},
    );
    return asked.number;
  }

  return (name) => local(name) ?? remote(name);
}

function readNumbers(text: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [name = '', , uid = ''] = line.split(':');
    if (/^\d+$/.test(uid) && !numbers.has(name)) numbers.set(name, Number(uid));
  }
  return numbers;
}

function getent(name: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(directoryProgram, ['passwd', name], { timeout: 5000 }, (error, out) =>
      resolve(error === null ? out : null),
    );
  });
}
