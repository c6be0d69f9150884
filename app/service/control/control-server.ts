/** Serves the contract: every message is checked against it before a handler gets it. */
import { createServer, type Server, type Socket } from 'node:net';
import { createMessageConnection } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import { contractVersion } from '../../contract/contract-version.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import {
  type MethodName,
  mayCall,
  type Params,
  type ResultOf,
  type Role,
  type ServiceHandlers,
  type ServiceSession,
  serviceApi,
} from '../../contract/service-api.ts';
import { readIssues, writePath } from '../../contract/settings/validation-issues.ts';
import { RestAfterBurst } from '../base/give-back-memory.ts';
import { type Journal, sayBug } from '../logging/journal.ts';
import { createSeats, type Seat } from './connection-seats.ts';
import { MethodCosts } from './method-costs.ts';
import { PromptWriter } from './prompt-writer.ts';
import { RequestReader } from './request-reader.ts';
import { Session } from './session.ts';
import { createTurnAway } from './turn-away.ts';
import { Turns } from './turns.ts';

interface Served {
  handlers: ServiceHandlers;
  version: string;
  journal: Journal;
  /** what the peer of a connection may do; null: nothing */
  roleOf(socket: Socket): Role | null;
  howToGet?(role: Role): string;
  /** the name of the peer of a connection; null: unknown */
  personOf?(socket: Socket): (() => string) | null;
  /** the number of the peer's account; null: unknown */
  accountOf?(socket: Socket): number | null;
  /** somebody called a method that their role may not call */
  onRefused?(method: MethodName, session: ServiceSession): void;
}

export interface ControlServer {
  server: Server;
  /** Ends every connection and stops accepting. */
  close(): Promise<void>;
}

export function createControlServer(served: Served): ControlServer {
  const sockets = new Set<Socket>();
  const seats = createSeats((octets) => served.journal.note('client-let-go', { octets }));
  const turns = new Turns();
  const costs = new MethodCosts();
  const turnAway = createTurnAway();
  const rest = new RestAfterBurst();
  const server = createServer((socket) => {
    rest.handled(garbageOfEach);
    const role = served.roleOf(socket);
    const seat = seats.take(socket, role, served.accountOf?.(socket) ?? null);
    const forget = () => sockets.delete(socket);
    sockets.add(socket);
    socket.once('close', forget);
    if (seat.ok) serve({ socket, role, served, seat: seat.value, turns, costs, rest, forget });
    else turnAway(socket, seat);
  });
  return {
    server,
    async close() {
      // Not awaited: connections that were handed over end elsewhere.
      server.close();
      // An error on the way is an end, too.
      const ended = [...sockets].map((socket) => new Promise((end) => socket.once('close', end)));
      for (const socket of sockets) socket.end();
      setImmediate(() => {
        for (const socket of sockets) socket.destroy();
      });
      await Promise.all(ended);
    },
  };
}

/** Octets of garbage that a connection leaves behind: clients that come and go without end must not make V8's heap grow. */
const garbageOfEach = 64 * 1024;
/** The same for a request, however short its reply. */
const garbageOfRequest = 16 * 1024;

interface Serving {
  socket: Socket;
  role: Role | null;
  served: Served;
  seat: Seat;
  turns: Turns;
  costs: MethodCosts;
  rest: RestAfterBurst;
  forget(): void;
}

function serve({ socket, role, served, seat, turns, costs, rest, forget }: Serving): void {
  const reader = new RequestReader(socket, seat, () => turns.take(seat));
  const connection = createMessageConnection(reader, new PromptWriter(socket, seat));
  const person = served.personOf?.(socket) ?? null;
  const account = served.accountOf?.(socket) ?? null;
  const session = new Session({
    ...{ socket, connection, seat, person, account, forget },
    role: role ?? 'observe',
  });
  const answer = answerer(served, role, session);

  socket.on('error', () => socket.destroy());
  socket.on('drain', () => turns.again());
  socket.once('close', () => {
    turns.leave(seat);
    session.end();
  });
  connection.onError(() => socket.destroy());
  connection.onRequest(async (name, params) => {
    const method = isMethod(name) ? name : null;
    await turns.take(seat, method === null ? 0 : costs.of(method));
    const begun = performance.now();
    try {
      const answered = answer(name, params);
      const took = performance.now() - begun;
      seat.spend(took);
      const reply = await answered;
      // a refusal costs little, and says nothing about the cost of the method
      if (method !== null && reply.ok) costs.learn(method, took);
      return reply;
    } finally {
      rest.handled(garbageOfRequest);
      reader.answered();
    }
  });
  connection.listen();
}

/** Handles one connection's messages; it says hello first. */
function answerer(served: Served, role: Role | null, session: ServiceSession) {
  let introduced = false;
  const remedy = (needed: Role) => served.howToGet?.(needed) ?? 'ask an administrator';

  function refuse(name: MethodName): Result<never> | null {
    if (role === null)
      return fail('forbidden', 'this Sotto belongs to another user', remedy('observe'));
    if (name === 'hello') return null;
    if (!introduced)
      return fail('hello-missing', `"${name}" came before "hello"`, 'say "hello" first');
    if (mayCall(role, name)) return null;
    served.onRefused?.(name, session);
    const needed = serviceApi.methods[name].role;
    return fail(
      'forbidden',
      `"${name}" needs the role ${needed}; you have ${role}`,
      remedy(needed),
    );
  }

  return async (name: string, raw: unknown): Promise<Result<unknown>> => {
    if (!isMethod(name))
      return fail('unknown-method', `there is no method "${name}"`, 'use a client of this version');
    const refusal = refuse(name);
    if (refusal !== null) return refusal;
    const checked = serviceApi.methods[name].params.safeParse(raw ?? {});
    if (!checked.success) return refuseParams(name, checked.error);

    if (name === 'hello') {
      const hello = greet(checked.data as Params<'hello'>, role ?? 'observe', served);
      introduced ||= hello.ok;
      return hello;
    }
    return await handle(name, checked.data, session, served);
  };
}

async function handle(
  name: Exclude<MethodName, 'hello'>,
  params: unknown,
  session: ServiceSession,
  { handlers, journal }: Served,
): Promise<Result<unknown>> {
  try {
    return await handlers[name](params as never, session);
  } catch (error) {
    journal.note('method-failed', { method: name, error: sayBug(error) });
    return fail('internal', `"${name}" failed inside the service`, "see the service's own log");
  }
}

function greet(
  { contract }: Params<'hello'>,
  role: Role,
  { version }: Served,
): Result<ResultOf<'hello'>> {
  if (contract !== contractVersion)
    return fail(
      'version-mismatch',
      `the client speaks contract ${contract}, the service ${contractVersion}`,
      'restart the service, so that both are of the same version',
    );
  return succeed({ contract: contractVersion, version, pid: process.pid, role });
}

function refuseParams(name: string, error: z.ZodError): Result<never> {
  const issues = readIssues(error);
  const words = issues.map(({ path, reason }) => `${writePath(path) || 'params'}: ${reason}`);
  return fail(
    'params-invalid',
    `"${name}" was asked wrongly: ${words.join('; ')}`,
    'correct the field named',
    writePath(issues[0]?.path ?? []) || null,
  );
}

function isMethod(name: string): name is MethodName {
  return Object.hasOwn(serviceApi.methods, name);
}
