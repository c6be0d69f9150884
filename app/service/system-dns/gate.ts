/**
 * Requests to the gate, which rejects the machine's DNS that goes past Sotto (docs/design/the-gate.md). Its rules outlive the
 * service.
 */
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import {
  type Closed,
  type GateRequest,
  gateReply,
  gateSocket,
} from '../../contract/system/gate-protocol.ts';
import { exchangeLine, parseLine } from './line-exchange.ts';

export interface Gate {
  ask(request: GateRequest): Promise<Result<Closed | null>>;
}

export function gateAt(socket: string = process.env['SOTTO_GATE_SOCKET'] ?? gateSocket): Gate {
  return {
    async ask(request) {
      const said = await exchangeLine(socket, JSON.stringify(request));
      return said.line === null ? notRunning(socket, said.code ?? said.why) : read(said.line);
    },
  };
}

/** A person's own service must not decide which resolvers the machine's other users reach. */
export const noGate: Gate = {
  ask: async () =>
    fail(
      'gate-missing',
      'only the installed service can reject what goes past it',
      'install Sotto as a package',
    ),
};

function read(line: string): Result<Closed | null> {
  const reply = gateReply.safeParse(parseLine(line));
  if (!reply.success)
    return fail('gate-missing', 'the gate is of another version', 'install Sotto again');
  if ('ok' in reply.data) return succeed(reply.data.ok.closed);
  const { message, remedy, code } = reply.data.failed;
  return fail('gate-missing', message, remedy, code);
}

function notRunning(socket: string, why: string): { ok: false; failure: Failure } {
  return fail(
    'gate-missing',
    `the gate does not run (${socket}: ${why})`,
    'see its log: journalctl -u sotto-gate',
    socket,
  );
}
