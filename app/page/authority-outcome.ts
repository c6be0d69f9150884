/** How pkexec ended, and what that means. Pure. */
import { fail, type Result, succeed } from '../contract/errors.ts';
import { failure } from '../contract/failure.ts';
import { lineOf, type TakingChange } from '../contract/protection/taking-words.ts';

/** pkexec(1), "Return value"; every other status is that of the command. */
const wasDismissed = 126;
const wasRefused = 127;

/** `code`: null where a signal ended it; `said`: what it wrote to standard error. */
export function readOutcome(code: number | null, said: string, change: TakingChange): Result<null> {
  if (code === 0) return succeed(null);
  if (code === null || code === wasDismissed)
    return fail('authority-dismissed', 'the password prompt was closed', 'try again');
  const byRoot = `as an administrator: ${lineOf(change)}`;
  if (code !== wasRefused) return failureOf(said) ?? unexplained(code, byRoot);
  if (/Not authorized/i.test(said))
    return fail('authority-refused', 'the system did not authorize it', byRoot);
  return fail(
    'authority-unreachable',
    `the system could not ask for a password${lastLine(said)}`,
    byRoot,
  );
}

/** The command prints its failure as JSON, in the last line. */
function failureOf(said: string): Result<null> | null {
  const line = said.trimEnd().split('\n').at(-1) ?? '';
  try {
    const { error } = JSON.parse(line) as { error?: object };
    const read = failure.safeParse({ subject: null, ...error });
    return read.success ? { ok: false, failure: read.data } : null;
  } catch {
    return null;
  }
}

function unexplained(code: number, remedy: string): Result<null> {
  return fail('internal', `the command ended with ${code}`, remedy);
}

function lastLine(said: string): string {
  const line = said.trim().split('\n').at(-1)?.slice(0, 200);
  return line === undefined || line === '' ? '' : `: ${line}`;
}
