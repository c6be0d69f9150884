/**
 * Asks the system's own authority (polkit) whether this account may protect this computer, for the window and for `sotto ui`: as
 * pkexec does, with the system's own prompt. Nothing that a page says reaches the command; it is one of two words. Why this
 * gives nobody more than they had: docs/decisions/0051-protect-this-computer.md.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fail, type Result } from '../contract/errors.ts';
import { lineOf, type TakingChange } from '../contract/protection/taking-words.ts';
import { readOutcome } from './authority-outcome.ts';

export interface SystemAuthority {
  /** Resolves once the change is made or refused. The signal closes the prompt. */
  ask(change: TakingChange, signal: AbortSignal): Promise<Result<null>>;
}

interface Places {
  pkexec: string;
  /** what runs as root, and the file that says who may run it: only root can write either */
  program: string;
  policy: string;
}

const installed: Places = {
  pkexec: '/usr/bin/pkexec',
  program: '/usr/lib/sotto/bin/sotto-protect',
  policy: '/usr/share/polkit-1/actions/org.sotto.policy',
};

/** A person looks for a password; a prompt that nobody answers must not stay. */
const patienceMs = 300_000;
const mostSaid = 65_536;
/** pkexec checks some of these; the messages that are compared are English. */
const environment = { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** One prompt at a time, whoever asks for it. */
export function systemAuthority(places = installed, waitMs = patienceMs): SystemAuthority {
  let isAsking = false;
  return {
    async ask(change, signal) {
      if (!Object.values(places).every((path) => existsSync(path))) return missing(change);
      if (isAsking) return busy;
      if (signal.aborted) return dismissed;
      isAsking = true;
      return await prompt(places, change, { signal, waitMs }, () => {
        isAsking = false;
      });
    },
  };
}

interface Patience {
  signal: AbortSignal;
  waitMs: number;
}

/** `onEnd`: nothing of it runs any more, which may be later than its result. */
function prompt(
  { pkexec, program }: Places,
  change: TakingChange,
  { signal, waitMs }: Patience,
  onEnd: () => void,
): Promise<Result<null>> {
  // The prompt is the desktop's: pkexec's own would appear in a terminal that the person may not see.
  const words = ['--disable-internal-agent', program, change];
  const child = spawn(pkexec, words, {
    cwd: '/',
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-mostSaid);
  });
  return new Promise((resolve) => {
    // Before the password pkexec belongs to this account, and ends; after it, the change itself ends soon.
    const end = (result: Result<null>) => {
      child.kill('SIGTERM');
      resolve(result);
    };
    const timer = setTimeout(() => end(late), waitMs);
    const onAbort = () => end(dismissed);
    signal.addEventListener('abort', onAbort);
    const over = (result: Result<null>) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      onEnd();
      resolve(result);
    };
    child.once('error', () => over(missing(change)));
    child.once('close', (code) => over(readOutcome(code, said, change)));
  });
}

function missing(change: TakingChange): Result<null> {
  return fail(
    'authority-missing',
    'this account may not do that, and Sotto can open no password prompt here',
    `as an administrator: ${lineOf(change)}`,
  );
}

const busy: Result<null> = fail(
  'authority-busy',
  'a password prompt is open already',
  'answer that one first',
);
const dismissed: Result<null> = fail(
  'authority-dismissed',
  'the password prompt was closed',
  'try again',
);
const late: Result<null> = fail(
  'authority-late',
  'nobody answered the password prompt',
  'try again',
);
