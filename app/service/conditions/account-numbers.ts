/**
 * The numbers of an account: its own, and those that it may give to programs of its containers. Accounts of this machine are read
 * from its file; those of a directory are looked up beside, and their number is known with a later call.
 */
import { readFileSync, statSync } from 'node:fs';
import type { AccountNumbers, Accounts, NumberRange } from './condition-here.ts';
import { type AskDirectory, directoryLookups } from './directory-lookups.ts';

interface AccountFiles {
  /** passwd(5) */
  accounts: string;
  /** subuid(5) */
  subordinates: string;
}

const systemFiles: AccountFiles = { accounts: '/etc/passwd', subordinates: '/etc/subuid' };

export function createAccountNumbers(
  files = systemFiles,
  ask?: AskDirectory,
  now?: () => number,
): Accounts {
  const local = readWhenChanged(files.accounts, readNumbers);
  const given = readWhenChanged(files.subordinates, readRanges);
  const directory = directoryLookups((line, name) => readNumbers(line).get(name) ?? null, {
    ask,
    now,
  });

  function numbersBy(remote: (name: string) => number | null): AccountNumbers {
    const numberOf = (name: string) => local()?.get(name) ?? remote(name);

    /** The file may name it either way. */
    function bothNames(account: string | number): (string | number | null)[] {
      if (typeof account === 'string') return [account, numberOf(account)];
      const named = [...(local() ?? [])].filter(([, number]) => number === account);
      return [account, ...named.map(([name]) => name)];
    }

    return {
      numberOf,
      subordinatesOf(account) {
        const names = bothNames(account).map(String);
        return (given() ?? []).flatMap(({ of, range }) => (names.includes(of) ? [range] : []));
      },
    };
  }

  return { ...numbersBy(directory.lookUp), known: numbersBy(directory.known) };
}

/** Where no account is known. */
export const nobody: AccountNumbers = { numberOf: () => null, subordinatesOf: () => [] };

/** null: it can't be read. */
function readWhenChanged<Content>(
  file: string,
  read: (text: string) => Content,
): () => Content | null {
  let known: { changed: number; content: Content } | null = null;
  return () => {
    try {
      const { mtimeMs: changed } = statSync(file);
      if (known?.changed !== changed)
        known = { changed, content: read(readFileSync(file, 'utf8')) };
      return known.content;
    } catch {
      return null;
    }
  };
}

function readNumbers(text: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [name = '', , uid = ''] = line.split(':');
    if (/^\d+$/.test(uid) && !numbers.has(name)) numbers.set(name, Number(uid));
  }
  return numbers;
}

/** A number has 32 bits; a range beyond that names nobody. */
function readRanges(text: string): { of: string; range: NumberRange }[] {
  return text.split('\n').flatMap((line) => {
    const [of = '', first = '', count = ''] = line.split(':');
    const isRange = /^\d{1,10}$/.test(first) && /^\d{1,10}$/.test(count.trim());
    const range: NumberRange = [Number(first), Number(count)];
    return isRange && range[0] + range[1] <= 2 ** 32 ? [{ of, range }] : [];
  });
}
