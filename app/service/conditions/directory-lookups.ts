/**
 * What a directory of accounts says of a name or a number: looked up beside, one at a time, because each costs a process, and known
 * with a later call. How many wait and how many are remembered is bounded: who asks may make them up.
 */
import { execFile } from 'node:child_process';

/** Resolves to a line as in passwd(5); null where there is no such account. */
export type AskDirectory = (account: string) => Promise<string | null>;

/** Of the C library: it uses every source that nsswitch.conf(5) names. */
const directoryProgram = 'getent';

/** An account is looked up again after this time: it may have come, gone, or got another name or number. */
const forgetAfterMs = 60_000;
const mostWaiting = 64;
const mostKnown = 1024;

interface Known<Value> {
  asked: number;
  value: Value | null;
}

export interface DirectoryLookups<Value> {
  /** What is known now; where that is nothing, or old, the directory is asked beside. */
  lookUp(account: string): Value | null;
  /** Asks nobody. */
  known(account: string): Value | null;
}

interface Directory {
  ask?: AskDirectory | undefined;
  now?: (() => number) | undefined;
}

export function directoryLookups<Value>(
  read: (line: string, account: string) => Value | null,
  { ask = getent, now = Date.now }: Directory,
): DirectoryLookups<Value> {
  const known = new Map<string, Known<Value>>();
  const waiting = new Map<string, Known<Value>>();
  let isBusy = false;

  function next(): void {
    const [first] = waiting;
    isBusy = first !== undefined;
    if (first === undefined) return;
    const [account, one] = first;
    waiting.delete(account);
    ask(account)
      .then(
        (line) => {
          one.value = line === null ? null : read(line, account);
        },
        () => {},
      )
      .finally(next);
  }

  function isFresh(one: Known<Value>): boolean {
    return Math.abs(now() - one.asked) < forgetAfterMs;
  }

  function begin(account: string, one: Known<Value>): void {
    known.delete(account);
    known.set(account, one);
    const [oldest] = known.keys();
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
    waiting.set(account, one);
    if (!isBusy) next();
  }

  function lookUp(account: string): Value | null {
    const before = known.get(account);
    const value = before?.value ?? null;
    // Whoever asks again when there is room gets a response then.
    const isDue = before === undefined || !isFresh(before);
    if (isDue && waiting.size < mostWaiting) begin(account, { asked: now(), value });
    return value;
  }

  return { lookUp, known: (account) => known.get(account)?.value ?? null };
}

function getent(account: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(directoryProgram, ['passwd', '--', account], { timeout: 5000 }, (error, out) =>
      resolve(error === null ? out : null),
    );
  });
}
