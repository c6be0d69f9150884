/**
 * The numbers of an account: its own, and those that it may give to programs of its containers. Accounts of this machine are read
 * from its file; those of a directory are looked up beside, and their number is known with a later call.
 */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import type { AccountNumbers, NumberRange } from './condition-here.ts';

/** Resolves to a line as in passwd(5); null where there is no such account. */
type AskDirectory = (name: string) => Promise<string | null>;

/** Of the C library: it uses every source that nsswitch.conf(5) names. */
const directoryProgram = 'getent';

/** An account is looked up again after this time: it may have come, gone, or got another number. */
const forgetAfterMs = 60_000;

interface AccountFiles {
  /** passwd(5) */
  accounts: string;
  /** subuid(5) */
  subordinates: string;
}

const systemFiles: AccountFiles = { accounts: '/etc/passwd', subordinates: '/etc/subuid' };

export function createAccountNumbers(
  files = systemFiles,
  askDirectory: AskDirectory = getent,
  now: () => number = Date.now,
): AccountNumbers {
  const local = readWhenChanged(files.accounts, readNumbers);
  const given = readWhenChanged(files.subordinates, readRanges);
  const directory = new Map<string, { asked: number; number: number | null }>();

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

function getent(name: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(directoryProgram, ['passwd', name], { timeout: 5000 }, (error, out) =>
      resolve(error === null ? out : null),
    );
  });
}
