/**
 * Requests to the gate, which rejects (docs/design/the-gate.md) and counts (docs/design/coverage.md) the machine's DNS that goes
 * past Sotto. Its rules outlive the service.
 */
import type { z } from 'zod';
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import {
  type Closed,
  type Counted,
  type GateRequest,
  gateReply,
  gateSocket,
} from '../../contract/system/gate-protocol.ts';
import { exchangeLine, parseLine } from './line-exchange.ts';

export type ClosingRequest = Exclude<GateRequest, { verb: 'count' | 'uncount' | 'counted' }>;

export interface Gate {
  ask(request: ClosingRequest): Promise<Result<Closed | null>>;
  /** Begins, where nothing is counted yet. */
  count(): Promise<Result<null>>;
  uncount(): Promise<Result<null>>;
  /** null: nothing is counted */
  counted(): Promise<Result<Counted | null>>;
}

export function gateAt(socket: string = process.env['SOTTO_GATE_SOCKET'] ?? gateSocket): Gate {
  async function exchange(request: GateRequest): Promise<Result<Told>> {
    const said = await exchangeLine(socket, JSON.stringify(request));
    return said.line === null ? notRunning(socket, said.code ?? said.why) : read(said.line);
  }
  async function countingIs(verb: 'count' | 'uncount'): Promise<Result<null>> {
    const told = await exchange({ verb });
    return told.ok ? succeed(null) : told;
  }
  return {
    async ask(request) {
      const told = await exchange(request);
      if (!told.ok) return told;
      return 'closed' in told.value ? succeed(told.value.closed) : otherVersion;
    },
    count: () => countingIs('count'),
    uncount: () => countingIs('uncount'),
    async counted() {
      const told = await exchange({ verb: 'counted' });
      if (!told.ok) return told;
      return 'counted' in told.value ? succeed(told.value.counted) : otherVersion;
    },
  };
}

const installed = fail(
  'gate-missing',
  'only the installed service can count and reject what goes past it',
  'install Sotto as a package',
);

/** A person's own service must not decide which resolvers the machine's other users reach, nor see what they send. */
export const noGate: Gate = {
  ask: async () => installed,
  count: async () => installed,
  uncount: async () => installed,
  counted: async () => installed,
};

const otherVersion = fail('gate-missing', 'the gate is of another version', 'install Sotto again');

type Told = Extract<z.infer<typeof gateReply>, { ok: unknown }>['ok'];

function read(line: string): Result<Told> {
  const reply = gateReply.safeParse(parseLine(line));
  if (!reply.success) return otherVersion;
  if ('ok' in reply.data) return succeed(reply.data.ok);
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
