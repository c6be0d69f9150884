/**
 * Speaks to the service over its control socket. Expected failures are values; what arrives is held against the contract, which is
 * data in what is built: a command starts in half the time without the validators themselves.
 */

import { connect, type Socket } from 'node:net';
import {
  createMessageConnection,
  type MessageConnection,
  SocketMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { contractVersion } from '../contract/contract-version.ts';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { isNotification, misfit } from '../contract/fitting/misfit.ts';
import { readReply } from '../contract/fitting/reply.ts';
import { inThisZone } from '../contract/query-log/sent-filter.ts';
import type {
  MethodName,
  NotificationName,
  NotificationOf,
  Params,
  ResultOf,
  ServiceClient,
} from '../contract/service-api.ts';
import { commandToStart } from '../contract/service-paths.ts';

export interface ConnectedService extends Speaking {
  hello: ResultOf<'hello'>;
}

interface Speaking extends ServiceClient {
  /** Ends the messages: what comes from now on is in the socket that is returned, and nothing else is. */
  takeOver(): Socket;
}

/** A service that is alive sends its hello within this time, even on a very busy machine. */
const helloMs = 10_000;

/** `client` names the program, for the service's log. */
export async function connectToService(
  socketPath: string,
  client: string,
): Promise<Result<ConnectedService>> {
  const socket = await openSocket(socketPath);
  if (!socket.ok) return socket;
  const service = speak(socket.value);
  const patience = setTimeout(() => service.close(), helloMs);
  const hello = await service.call('hello', { contract: contractVersion, client });
  clearTimeout(patience);
  if (hello.ok) return succeed({ ...service, hello: hello.value });
  service.close();
  return hello;
}

async function openSocket(path: string): Promise<Result<Socket>> {
  for (let tries = 1; ; tries++) {
    const opened = await tryToOpen(path);
    if (opened.socket !== null) return succeed(opened.socket);
    if (opened.error.code !== 'EAGAIN' || tries === mostTries) return whyNot(opened.error, path);
    await new Promise((later) => setTimeout(later, againAfterMs));
  }
}

/** Others knock faster than the service lets in: there is room again in a moment. */
const againAfterMs = 50;
const mostTries = 100;

type Opened = { socket: Socket } | { socket: null; error: NodeJS.ErrnoException };

function tryToOpen(path: string): Promise<Opened> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve({ socket });
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve({ socket: null, error }));
  });
}

function whyNot(error: NodeJS.ErrnoException, path: string): Result<never> {
  if (['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(error.code ?? ''))
    return fail(
      'not-running',
      'Sotto is not running',
      `start it with: ${commandToStart(path)}`,
      path,
    );
  if (error.code === 'EACCES' || error.code === 'EPERM')
    return fail(
      'forbidden',
      `no permission to use ${path}`,
      'run this as the user who runs Sotto',
      path,
    );
  return fail(
    'connection-lost',
    `${path}: ${error.message}`,
    `start it with: ${commandToStart(path)}`,
    path,
  );
}

function speak(socket: Socket): Speaking {
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new StreamMessageWriter(socket),
  );
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  const closing = new Set<() => void>();
  let closed = false;
  const onEnd = () => {
    if (closed) return;
    closed = true;
    connection.dispose();
    for (const listener of closing) listener();
  };
  connection.onClose(onEnd);
  connection.onError(() => socket.destroy());
  socket.on('error', onEnd);
  connection.onNotification((name, payload) => deliver(listeners, name, payload));
  connection.listen();

  return {
    call: (name, params) => (closed ? Promise.resolve(lost()) : call(connection, name, params)),
    on<Name extends NotificationName>(
      name: Name,
      listener: (payload: NotificationOf<Name>) => void,
    ): () => void {
      const those = listeners.get(name) ?? new Set();
      listeners.set(name, those.add(listener as (payload: unknown) => void));
      return () => those.delete(listener as (payload: unknown) => void);
    },
    onClose: (listener) => closing.add(listener),
    close: () => socket.destroy(),
    takeOver() {
      socket.removeAllListeners('data');
      socket.pause();
      onEnd();
      return socket;
    },
  };
}

async function call<Name extends MethodName>(
  connection: MessageConnection,
  name: Name,
  params: Params<Name>,
): Promise<Result<ResultOf<Name>>> {
  let raw: unknown;
  try {
    raw = await connection.sendRequest(name, inThisZone(name, params));
  } catch {
    return lost();
  }
  return readReply(name, raw);
}

function deliver(
  listeners: ReadonlyMap<string, ReadonlySet<(payload: unknown) => void>>,
  name: string,
  payload: unknown,
): void {
  if (!isNotification(name) || misfit('notifications', name, payload) !== null) return;
  for (const listener of listeners.get(name) ?? []) listener(payload);
}

function lost(): Result<never> {
  return fail(
    'connection-lost',
    'the service ended the connection',
    '"sotto status" says how to start it again',
  );
}
