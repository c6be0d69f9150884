/** Requests to sotto-helper, which may change the system's DNS; one connection a request (docs/design/system-dns.md). */
import { setTimeout as pause } from 'node:timers/promises';
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import {
  type HelperReply,
  type HelperRequest,
  helperReply,
  helperSocket,
} from '../../contract/system/helper-protocol.ts';
import { exchangeLine, parseLine } from './line-exchange.ts';
import { lineToStartHelper } from './start-helper.ts';

export type HelperAnswer = Extract<HelperReply, { ok: unknown }>['ok'];

export interface Helper {
  ask(request: HelperRequest): Promise<Result<HelperAnswer>>;
}

/**
 * systemd starts the helper again when it dies, so an interrupted request is sent again for so long. No request does harm when
 * it is carried out twice.
 */
const backWithinMs = 3500;
const tryEveryMs = 100;

export function helperSocketInUse(): string {
  return process.env['SOTTO_HELPER_SOCKET'] ?? helperSocket;
}

export function helperAt(socket: string = helperSocketInUse()): Helper {
  let hasAnswered = false;
  return {
    ask: async (request) => {
      const giveUp = performance.now() + backWithinMs;
      for (;;) {
        const said = await exchangeLine(socket, JSON.stringify(request));
        hasAnswered ||= said.line !== null;
        if (said.line !== null) return read(said.line);
        const mayComeBack = hasAnswered && said.died && performance.now() <= giveUp;
        if (!mayComeBack) return unanswered(socket, said);
        await pause(tryEveryMs);
      }
    },
  };
}

function read(line: string): Result<HelperAnswer> {
  const reply = helperReply.safeParse(parseLine(line));
  if (!reply.success) return silent('its answer is none that this version knows');
  if ('ok' in reply.data) return succeed(reply.data.ok);
  const { message, remedy, code } = reply.data.failed;
  return fail('helper-refused', message, remedy, code);
}

function unanswered(socket: string, { code, why }: { code?: string | undefined; why: string }) {
  return code === undefined ? silent(why) : unreachable(socket, code);
}

/** The socket can't be opened, or the helper closed it when it saw the peer's user. */
const notForUs = ['EACCES', 'EPERM', 'EPIPE', 'ECONNRESET'];

function unreachable(path: string, code: string): { ok: false; failure: Failure } {
  if (notForUs.includes(code))
    return fail(
      'helper-refused',
      `sotto-helper does not talk to this user (${path})`,
      `start it for this user: ${lineToStartHelper()}`,
      path,
    );
  return fail(
    'helper-missing',
    `sotto-helper does not run (${path}: ${code}), and nobody else may change the system's DNS`,
    `start it: ${lineToStartHelper()}`,
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
