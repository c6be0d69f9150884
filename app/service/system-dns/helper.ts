/** Asks sotto-helper, which may change the system's DNS; one connection a request (decision 0019). */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import {
  type HelperReply,
  type HelperRequest,
  helperReply,
  helperSocketInUse,
} from '../../contract/helper-protocol.ts';

export type HelperAnswer = Extract<HelperReply, { ok: unknown }>['ok'];

export interface Helper {
  ask(request: HelperRequest): Promise<Result<HelperAnswer>>;
}

/** Somebody starts it again when it dies: so long a request that met its end is tried anew. None of them does harm twice. */
const backWithinMs = 3500;
const tryEveryMs = 100;
/** It waits for the bus at most a few seconds itself. */
const answerWithinMs = 10_000;
/** What it was before we came may be long, but not without end. */
const mostOctets = 1_048_576;

export function helperAt(socket: string = helperSocketInUse()): Helper {
  let hasAnswered = false;
  return {
    ask: async (request) => {
      const giveUp = performance.now() + backWithinMs;
      for (;;) {
        const said = await exchange(socket, `${JSON.stringify(request)}\n`);
        hasAnswered ||= said.line !== null;
        if (said.line !== null) return read(said.line);
        if (!hasAnswered || !said.died || performance.now() > giveUp) return said.why;
        await pause(tryEveryMs);
      }
    },
  };
}

function read(line: string): Result<HelperAnswer> {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return silent('its answer is no JSON');
  }
  const reply = helperReply.safeParse(json);
  if (!reply.success) return silent('its answer is none that this version knows');
  if ('ok' in reply.data) return succeed(reply.data.ok);
  const { message, remedy, code } = reply.data.failed;
  return fail('helper-refused', message, remedy, code);
}

type Said = { line: string } | { line: null; died: boolean; why: { ok: false; failure: Failure } };

function exchange(path: string, line: string): Promise<Said> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    const end = (said: Said) => {
      socket.destroy();
      resolve(said);
    };
    const odd = (why: string) => end({ line: null, died: false, why: silent(why) });
    socket.setEncoding('utf8');
    socket.setTimeout(answerWithinMs, () => odd('it does not answer'));
    socket.on('connect', () => socket.write(line));
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      end({ line: null, died: true, why: unreachable(path, code) }),
    );
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > mostOctets) return odd('its answer does not end');
      const ended = text.indexOf('\n');
      if (ended >= 0) end({ line: text.slice(0, ended) });
    });
    socket.on('close', () =>
      end({ line: null, died: true, why: silent('it closed the connection without an answer') }),
    );
  });
}

/** Not to be opened, or closed as soon as it saw who asks. */
const notForUs = ['EACCES', 'EPERM', 'EPIPE', 'ECONNRESET'];

function unreachable(path: string, code: string | undefined): { ok: false; failure: Failure } {
  if (code !== undefined && notForUs.includes(code))
    return fail(
      'helper-refused',
      `sotto-helper does not talk to this user (${path})`,
      'start it for this user: sudo sotto-helper --for "$USER"',
      path,
    );
  return fail(
    'helper-missing',
    `sotto-helper does not run (${path}: ${code ?? 'no answer'}), and nobody else may change the system's DNS`,
    'install Sotto as a package, or run: sudo sotto-helper --for "$USER"',
    path,
  );
}

function silent(why: string): { ok: false; failure: Failure } {
  return fail(
    'helper-refused',
    `sotto-helper can't be understood: ${why}`,
    'see its log: journalctl -u sotto-helper; it must be of the same version as Sotto',
  );
}
