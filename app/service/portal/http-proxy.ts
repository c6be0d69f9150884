/**
 * The same route for programs that give SOCKS no password, such as Chromium: an HTTP proxy with Basic credentials (RFC 9110,
 * sections 9.3.6 and 11.7). CONNECT serves TLS, and requests with a whole URL serve the rest.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LoginRoute, Refusal } from './login-route.ts';
import { hearErrors, type Meeting, meet } from './meeting.ts';
import { responseTo } from './response-to.ts';

interface Party {
  route: LoginRoute;
  isRight(user: string, password: string): boolean;
  /** the client has shown the password */
  onAdmitted(client: Duplex): void;
  /** both ends of a tunnel, to be joined */
  join(client: Duplex, server: Socket): void;
}

const challenge = { 'proxy-authenticate': 'Basic realm="login", charset="UTF-8"' };
const status: Readonly<Record<Refusal, number>> = {
  forbidden: 403,
  unresolved: 502,
  unreachable: 504,
};
/** A page that takes longer is given up. */
const forwardWithin = 120_000;
/** RFC 9110, section 7.6.1: headers of one hop only. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** It does not listen itself: connections are handed to it as "connection". */
export function createHttpProxy({ route, isRight, onAdmitted, join }: Party): Server {
  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (!isAuthorized(request)) return refuseTunnel(client, 407, challenge);
    onAdmitted(client);
    const target = URL.parse(`tunnel://${request.url}`);
    const port = Number(target?.port);
    if (target === null || port === 0) return refuseTunnel(client, 400);
    const server = await route.to(target.hostname.replace(/^\[|\]$/g, ''), port);
    if (typeof server === 'string') return refuseTunnel(client, status[server]);
    client.write('HTTP/1.1 200 Connected\r\n\r\n');
    server.write(head);
    join(client, server);
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAuthorized(request)) return refuse(response, 407, challenge);
    onAdmitted(request.socket);
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return refuse(response, 400);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const outcome = await meet({ withinMs: forwardWithin, signal: gone.signal }, (meeting) =>
      pass(meeting, request, response, url),
    );
    if (outcome !== 'passed') breakOff(response, outcome ?? 502);
  }

  /** Returns the status to refuse with, where nothing could be passed on. */
  async function pass(
    meeting: Meeting,
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<number | 'passed'> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const server = await route.to(host, url.port === '' ? 80 : Number(url.port));
    if (typeof server === 'string') return status[server];
    meeting.hold(server);
    const sent = meeting.hold(
      sendRequest({
        createConnection: () => server,
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers: { ...endToEnd(request.headers), host: url.host, connection: 'close' },
      }),
    );
    request.pipe(sent);
    const answer = meeting.hold(await responseTo(sent));
    if (!isPassable(answer.statusCode)) return 502;
    response.writeHead(answer.statusCode, endToEnd(answer.headers));
    await pipeline(answer, response);
    return 'passed';
  }

  function isAuthorized({ headers }: IncomingMessage): boolean {
    const [scheme, credentials = ''] = (headers['proxy-authorization'] ?? '').split(' ');
    if (scheme?.toLowerCase() !== 'basic') return false;
    const text = Buffer.from(credentials, 'base64').toString();
    const colon = text.indexOf(':');
    return colon >= 0 && isRight(text.slice(0, colon), text.slice(colon + 1));
  }

  const proxy = createServer((request, response) => {
    hearErrors(request);
    forward(request, hearErrors(response)).catch(() => response.destroy());
  });
  proxy.on('connect', (request, client, head) => {
    tunnel(request, hearErrors(client), head).catch(() => client.destroy());
  });
  return proxy;
}

/**
 * A lower code is no final response (RFC 9110, section 15), a higher one is no status. A server's 407 is not passed on, because
 * the window would answer it with the port's password.
 */
function isPassable(code = 0): code is number {
  return code >= 200 && code <= 599 && code !== 407;
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const own = new Set([...hopByHop, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)));
}

/** The code can be sent only as long as no other one was. */
function breakOff(response: ServerResponse, code: number): void {
  if (response.headersSent) response.destroy();
  else refuse(response, code);
}

function refuse(response: ServerResponse, code: number, headers: Record<string, string> = {}) {
  response.writeHead(code, { ...headers, 'content-length': 0 }).end();
}

function refuseTunnel(client: Duplex, code: number, headers: Record<string, string> = {}): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${code} Refused\r\n${lines.join('')}content-length: 0\r\nconnection: close\r\n\r\n`;
  client.end(head);
}
