/**
 * The name of a person in the ledger: the account's name for a user number. Accounts of this machine are read from its file.
 * Accounts of a directory are looked up beside the connection, which does not wait for the result.
 */
import { readFileSync, statSync } from 'node:fs';
import { type AskDirectory, directoryLookups } from '../conditions/directory-lookups.ts';

export interface AccountNames {
  /** "ann"; "user 1001" where no name is known, or none yet. */
  nameOf(uid: number): string;
}

export function createAccountNames(
  file?: string,
  ask?: AskDirectory,
  now?: () => number,
): AccountNames {
  const local = accountsOfThisMachine(file);
  const directory = directoryLookups((line, uid) => readAccounts(line).get(Number(uid)) ?? null, {
    ask,
    now,
  });
  return { nameOf: (uid) => local(uid) ?? directory.lookUp(String(uid)) ?? `user ${uid}` };
}

/** The name of a number in passwd(5). */
export function accountsOfThisMachine(file = '/etc/passwd'): (uid: number) => string | null {
  let read: { changed: number; names: Map<number, string> } | null = null;
  return (uid) => {
    try {
      const { mtimeMs: changed } = statSync(file);
      if (read?.changed !== changed)
        read = { changed, names: readAccounts(readFileSync(file, 'utf8')) };
      return read.names.get(uid) ?? null;
    } catch {
      return null;
    }
  };
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
