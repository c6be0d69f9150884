/**
 * The page in a browser: a process of its own, which is a client of the control socket and so may do exactly what the
 * person who started it may. Loopback only; who may speak to it: docs/design/page.md.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Admission, createAdmission } from './admission.ts';
import { closeHandover, type Handover, openHandover } from './handover.ts';
import { type PageFile, readPageFiles } from './page-files.ts';
import { longestBody, readJsonBody } from './request-body.ts';
import { type Connect, createRelay, type Relay } from './service-relay.ts';
import type { SystemAuthority } from './system-authority.ts';

export interface PageServer {
  /** "http://127.0.0.1:40123/", without the code that lets a client in */
  address: string;
  /** lets in the first client that opens it, and is gone afterwards */
  handover: Handover;
  /** resolves after a while without a client, or after `close` */
  ended: Promise<void>;
  close(): Promise<void>;
}

export interface PageOptions {
  connect: Connect;
  authority: SystemAuthority;
  /** the folder that holds index.html */
  files: string;
  /** 0: one that is free */
  port?: number;
  /** ends after so long without a request */
  idleMs?: number;
}

const quarterHour = 900_000;
/** Room for the code; a client that sends more does not have it. */
const longestSession = 1024;

export async function servePage(options: PageOptions): Promise<PageServer> {
  const { connect, authority, files, port: wanted = 0, idleMs = quarterHour } = options;
  const pageFiles = readPageFiles(files);
  const relay = createRelay(connect);
  let admission: Admission | null = null;
  const server = createServer((request, response) => {
    for (const part of [request, response]) part.on('error', () => part.destroy());
    if (admission === null) return;
    answer(request, response, { admission, relay, authority, pageFiles, letIn, onUse }).catch(() =>
      response.destroy(),
    );
  });
  await listen(server, wanted);
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}/`;
  admission = createAdmission(port);
  const handover = await openHandover(address, admission.code);
  function letIn(): void {
    void closeHandover(handover);
  }

  const idle = setTimeout(close, idleMs);
  function onUse(response: ServerResponse): void {
    idle.refresh();
    response.once('close', () => idle.refresh());
  }
  const stillThere = setInterval(() => relay.size() > 0 && idle.refresh(), idleMs / 2);
  stillThere.unref();

  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  let closing: Promise<void> | null = null;
  let tellEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve;
  });
  function close(): Promise<void> {
    closing ??= shut().then(tellEnded);
    return closing;
  }
  async function shut(): Promise<void> {
    clearTimeout(idle);
    clearInterval(stillThere);
    relay.close();
    server.close();
    server.closeAllConnections();
    await closeHandover(handover);
    await closed;
  }
  return { address, handover, ended, close };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Later ones (no file left to accept with) end nothing.
    server.on('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

interface Parts {
  admission: Admission;
  relay: Relay;
  authority: SystemAuthority;
  pageFiles: ReadonlyMap<string, PageFile>;
  letIn(): void;
  /** called for clients that were let in; other requests keep nothing running */
  onUse(response: ServerResponse): void;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Parts) {
  if (!parts.admission.comesFromHere(request)) refuse(response, 403);
  else if (request.method === 'GET' || request.method === 'HEAD') show(request, response, parts);
  else if (request.method === 'POST') await act(request, response, parts);
  else refuse(response, 405);
}

function show(request: IncomingMessage, response: ServerResponse, { pageFiles }: Parts): void {
  const file = pageFiles.get(request.url ?? '');
  if (file === undefined) refuse(response, 404);
  else response.writeHead(200, file.headers).end(request.method === 'GET' ? file.content : null);
}

async function act(request: IncomingMessage, response: ServerResponse, parts: Parts) {
  const { admission, relay, onUse } = parts;
  const path = request.url ?? '';
  const isSession = path === '/session';
  if (!isSession && !admission.hasToken(request)) return refuse(response, 401);
  const body = await readJsonBody(request, isSession ? longestSession : longestBody);
  if (!body.ok) return refuse(response, body.status);
  if (isSession) return openTab(response, body.value, parts);
  onUse(response);
  if (path === '/connections') return await relay.open(response);
  if (path === '/authority/take' || path === '/authority/give-back')
    return await askAuthority(path, response, parts);
  await callMethod(path, body.value, response, relay);
}

/** The path is the whole request. A page that goes away, or ends its request, closes the prompt. */
async function askAuthority(
  path: '/authority/take' | '/authority/give-back',
  response: ServerResponse,
  { authority }: Parts,
): Promise<void> {
  const ending = new AbortController();
  response.once('close', () => ending.abort());
  const change = path === '/authority/take' ? 'take' : 'give-back';
  json(response, 200, await authority.ask(change, ending.signal));
}

/** Of a connection that was opened: `/connections/ID/METHOD`. */
async function callMethod(
  path: string,
  params: unknown,
  response: ServerResponse,
  relay: Parts['relay'],
): Promise<void> {
  const [, connection, method] = /^\/connections\/([\w-]+)\/([\w.]+)$/.exec(path) ?? [];
  if (connection === undefined || method === undefined) return refuse(response, 404);
  if (method === 'log.pour') {
    const poured = await relay.pour(connection, params, response);
    if (!poured.ok) json(response, 200, poured);
    return;
  }
  const reply = await relay.call(connection, method, params);
  json(response, reply.ok || reply.failure.code !== 'unknown-method' ? 200 : 404, reply);
}

function openTab(response: ServerResponse, body: unknown, { admission, letIn, onUse }: Parts) {
  const token = admission.exchange(body);
  if (token === null) {
    refuse(response, 401);
    return;
  }
  letIn();
  onUse(response);
  json(response, 200, { token });
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(value));
}

/** Answers with the status alone. */
function refuse(response: ServerResponse, status: number): void {
  // What is still being sent is not waited for.
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end();
}
