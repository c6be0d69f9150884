/**
 * Metrics to be fetched, over HTTP on a loopback port or a Unix socket. Whoever reaches it may read them: they hold no names. What
 * a client may cost is bounded here, and a page in a browser is refused, also where a name of its site leads here.
 */
import { lstatSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type ListenOptions } from 'node:net';
import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { sayErrno } from '../base/errno-words.ts';
import { hearErrors } from '../portal/meeting.ts';
import { contentTypes, type TextFormat } from './exposition.ts';

export interface MetricsServer {
  close(): void;
}

const againMs = 30_000;

/** Serves there as soon as the place can be had. The function returned ends it. */
export function startServing(
  parts: ServerParts & { onTrouble(why: string | null): void },
): () => void {
  const { onTrouble, onBug } = parts;
  let server: MetricsServer | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isEnded = false;

  async function begin(): Promise<void> {
    const serving = await serveMetrics(parts);
    if (isEnded) {
      if (serving.ok) serving.value.close();
      return;
    }
    onTrouble(serving.ok ? null : serving.failure.message);
    if (serving.ok) server = serving.value;
    else timer = setTimeout(() => void begin().catch(onBug), againMs).unref();
  }

  begin().catch(onBug);
  return () => {
    isEnded = true;
    if (timer !== null) clearTimeout(timer);
    server?.close();
  };
}

export interface ServerParts {
  /** as the setting `metrics.listen` has it, and not "off" */
  place: string;
  /** may whoever has an account here open the Unix socket; else only the service's own */
  isShared: boolean;
  write(format: TextFormat): Promise<string>;
  onBug(error: unknown): void;
  /** for tests */
  limits?: Partial<Limits>;
}

export interface Limits {
  connections: number;
  headerOctets: number;
  /** for the request to come in, and again for the response to be taken */
  milliseconds: number;
}

const usual: Limits = { connections: 16, headerOctets: 8192, milliseconds: 10_000 };

/** Fails where the place can't be had. */
export async function serveMetrics(parts: ServerParts): Promise<Result<MetricsServer>> {
  const { place, write, onBug } = parts;
  const limits = { ...usual, ...parts.limits };
  const { milliseconds } = limits;
  const server = createServer(
    {
      maxHeaderSize: limits.headerOctets,
      headersTimeout: milliseconds,
      requestTimeout: milliseconds,
      keepAliveTimeout: milliseconds,
      connectionsCheckingInterval: milliseconds / 2,
    },
    (request, response) => {
      hearErrors(request);
      hearErrors(response);
      // A reader that is slow may not keep the text in memory, nor a place among the connections.
      const late = setTimeout(() => request.socket.destroy(), milliseconds);
      response.once('close', () => clearTimeout(late));
      answer(request, response, { hosts, write }).catch((error) => {
        request.socket.destroy();
        onBug(error);
      });
    },
  );
  server.maxConnections = limits.connections;
  const hosts = hostsOf(place);
  const listening = await listen(server, parts);
  if (!listening.ok) return listening;
  return succeed({
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}

/** What a request may call this host; null: no browser reaches a Unix socket, so any name will do. */
function hostsOf(place: string): ReadonlySet<string> | null {
  const address = parseSocketAddress(place);
  if (address === null) return null;
  const port = address.port ?? 0;
  return new Set([formatSocketAddress(address.ip, port), `localhost:${port}`]);
}

interface Answering {
  hosts: ReadonlySet<string> | null;
  write: ServerParts['write'];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { hosts, write }: Answering,
): Promise<void> {
  const status = refusalOf(request, hosts);
  if (status !== null) {
    // What is still being sent is not waited for.
    response.writeHead(status, { connection: 'close', 'content-length': 0 }).end();
    return;
  }
  const format = formatFor(request.headers.accept);
  const text = await write(format);
  response.writeHead(200, {
    'content-type': contentTypes[format],
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? null : text);
}

/** A status of HTTP; null: it is welcome. */
function refusalOf(request: IncomingMessage, hosts: Answering['hosts']): number | null {
  if (!comesFromProgram(request.headers, hosts)) return 403;
  if (request.method !== 'GET' && request.method !== 'HEAD') return 405;
  if (hasBody(request.headers)) return 413;
  return request.url?.split('?')[0] === '/metrics' ? null : 404;
}

type Headers = IncomingMessage['headers'];

/** Browsers say of themselves where they come from, and a name of a site that leads here (DNS rebinding) is another host. */
function comesFromProgram(headers: Headers, hosts: Answering['hosts']): boolean {
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  return !isBrowser && (hosts === null || hosts.has((headers.host ?? '').toLowerCase()));
}

function hasBody(headers: Headers): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function formatFor(accept = ''): TextFormat {
  return accept.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus';
}

async function listen(server: Server, { place, isShared }: ServerParts): Promise<Result<null>> {
  const address = parseSocketAddress(place);
  try {
    if (address !== null) {
      await bind(server, { host: address.ip, port: address.port ?? 0, exclusive: true });
      return succeed(null);
    }
    const path = place.slice('unix:'.length);
    const trouble = await whyNotFree(path);
    if (trouble !== null) return failed(place, trouble);
    await bindPath(server, path, isShared ? 0o666 : 0o600);
    return succeed(null);
  } catch (error) {
    return failed(place, sayErrno(error));
  }
}

function failed(place: string, why: string): Result<never> {
  return fail('listen-failed', `${place}: ${why}`, 'choose another place', place);
}

/** What a service before this one left behind is removed; a file, or a socket that somebody serves, never is. */
async function whyNotFree(path: string): Promise<string | null> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isSocket()) return 'something else than a socket is there';
  if (await isServed(path)) return 'another program listens there';
  unlinkSync(path);
  return null;
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}

/**
 * With these permissions from its first moment on: a later change would go by the path, where another account may have put
 * something else. Node binds a path within the call.
 */
async function bindPath(server: Server, path: string, permissions: number): Promise<void> {
  const mask = process.umask(0o777 & ~permissions);
  let bound: Promise<void>;
  try {
    bound = bind(server, { path });
  } finally {
    process.umask(mask);
  }
  await bound;
}

/** Errors that come later (no file left to accept with) end nothing. */
function bind(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(options, resolve);
  });
}
