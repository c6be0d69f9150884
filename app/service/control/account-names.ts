/**
 * The name of a person in the ledger: the account's name for a user number. Accounts of this machine are read from its file.
 * Accounts of a directory are looked up once, beside the connection, which does not wait for the result.
 */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

export interface AccountNames {
  /** "ann"; "user 1001" where no name is known, or none yet. */
  nameOf(uid: number): string;
}

/** Resolves to a line as in passwd(5); null where there is no such account. */
type AskDirectory = (uid: number) => Promise<string | null>;

/** Of the C library: it uses every source that nsswitch.conf(5) names. */
const directoryProgram = 'getent';

/** A number without an account is looked up again after this time. */
const forgetAfterMs = 60_000;

export function createAccountNames(
  file = '/etc/passwd',
  askDirectory: AskDirectory = getent,
  now: () => number = Date.now,
): AccountNames {
  let read: { changed: number; names: Map<number, string> } | null = null;
  const directory = new Map<number, { asked: number; name: string | null }>();

  function local(uid: number): string | null {
    try {
      const { mtimeMs: changed } = statSync(file);
      if (read?.changed !== changed)
        read = { changed, names: readAccounts(readFileSync(file, 'utf8')) };
      return read.names.get(uid) ?? null;
    } catch {
      return null;
    }
  }

  function remote(uid: number): string | null {
    const known = directory.get(uid);
    if (known !== undefined && (known.name !== null || now() - known.asked < forgetAfterMs))
      return known.name;
    const asked = { asked: now(), name: null as string | null };
    directory.set(uid, asked);
    askDirectory(uid).then(
      (line) => {
        asked.name = line === null ? null : (readAccounts(line).get(uid) ?? null);
      },
      () => {},
    );
    return null;
  }

  return { nameOf: (uid) => local(uid) ?? remote(uid) ?? `user ${uid}` };
}

/** Several accounts may share a number; the first is the one other programs show. */
function readAccounts(text: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name = '', , uid = ''] = line.split(':');
    if (name !== '' && /^\d+$/.test(uid) && !names.has(Number(uid))) names.set(Number(uid), name);
  }
  return names;
}

function getent(uid: number): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(directoryProgram, ['passwd', String(uid)], { timeout: 5000 }, (error, out) =>
      resolve(error === null ? out : null),
    );
  });
}
