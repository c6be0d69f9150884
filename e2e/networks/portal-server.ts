/**
 * The web server of a hotspot, as a program to start on its gateway; its one argument is PortalPages as JSON. A request under a
 * foreign name is redirected to the login, which has one page or two on different hosts; the last one admits the visitor's
 * hardware address. Speaks RFC 8908 over TLS. Prints each request as a line of JSON.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface PortalPages {
  address: string;
  /** to which everybody is redirected */
  host: string;
  /** of the second page; null where there is only one */
  secondHost: string | null;
  /** the second page is fetched over TLS, and the first handshake for it never ends */
  stallsSecond: boolean;
  assetHost: string;
  /** PEM files */
  certificate: string;
  key: string;
  nft: string;
  /** HTTP to other addresses is redirected here */
  redirectPort: number;
}

const pages = JSON.parse(process.argv[2] ?? '{}') as PortalPages;
/** Hardware addresses of visitors who have seen the first of two pages. */
const halfway = new Set<string>();

type Answer = [status: number, headers: Record<string, string>, body: string];

function answer(request: IncomingMessage): Answer {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  const visitor = hardwareAddress(request);
  const path = request.url ?? '/';
  process.stdout.write(`${JSON.stringify({ host, path, method: request.method })}\n`);
  if (host === pages.assetHost)
    return [200, { 'content-type': 'text/css' }, 'body { color: navy }'];
  if (path === '/api') return tellState(visitor);
  if (host === pages.secondHost) return secondPage(request, visitor);
  if (host !== pages.host) return redirect(`http://${pages.host}/welcome`);
  return firstPage(request, visitor);
}

function firstPage(request: IncomingMessage, visitor: string): Answer {
  if (request.method !== 'POST') return page('Welcome', '/accept', 'Accept the terms');
  if (pages.secondHost === null) return letIn(visitor);
  halfway.add(visitor);
  return redirect(`${pages.stallsSecond ? 'https' : 'http'}://${pages.secondHost}/room`);
}

function secondPage(request: IncomingMessage, visitor: string): Answer {
  if (!halfway.has(visitor)) return redirect(`http://${pages.host}/welcome`);
  return request.method === 'POST' ? letIn(visitor) : page('Your room', '/room', 'Log in');
}

function letIn(visitor: string): Answer {
  admitted('add', visitor);
  return [
    200,
    { 'content-type': 'text/html' },
    '<title>Connected</title><h1>You are connected</h1>',
  ];
}

/** RFC 8908 section 5 */
function tellState(visitor: string): Answer {
  const captive = !admitted('list').includes(visitor);
  const state = { captive, 'user-portal-url': `https://${pages.host}/welcome` };
  return [200, { 'content-type': 'application/captive+json' }, JSON.stringify(state)];
}

function page(title: string, action: string, label: string): Answer {
  const style = `<link rel="stylesheet" href="http://${pages.assetHost}/style.css">`;
  const form = `<form method="post" action="${action}"><button>${label}</button></form>`;
  return [
    200,
    { 'content-type': 'text/html' },
    `<title>${title}</title>${style}<h1>${title}</h1>${form}`,
  ];
}

function redirect(to: string): Answer {
  return [302, { location: to, 'cache-control': 'no-store' }, ''];
}

/** Whether the gateway's set of admitted visitors has this one. */
function admitted(verb: 'add' | 'list', visitor = ''): string {
  const [what, element] = verb === 'add' ? ['element', [`{ ${visitor} }`]] : ['set', []];
  const words = [verb, what, 'inet', 'portal', 'admitted', ...element];
  return execFileSync(pages.nft, words, { encoding: 'utf8' });
}

function hardwareAddress(request: IncomingMessage): string {
  const from = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const text = execFileSync('/usr/sbin/ip', ['-j', 'neigh', 'show', 'to', from], {
    encoding: 'utf8',
  });
  return (JSON.parse(text) as { lladdr?: string }[])[0]?.lladdr ?? '';
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const [status, headers, body] = answer(request);
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
}

let stalls = pages.stallsSecond;

/** One certificate serves every name. */
function shakeHands(name: string, goOn: (error: Error | null) => void): void {
  if (stalls && name === pages.secondHost) {
    stalls = false;
    process.stdout.write(`${JSON.stringify({ stalled: name })}\n`);
  } else goOn(null);
}

const identity = {
  cert: readFileSync(pages.certificate),
  key: readFileSync(pages.key),
  SNICallback: shakeHands,
};
const listening = [
  createServer(serve).listen(80, pages.address),
  createServer(serve).listen(pages.redirectPort, pages.address),
  createTlsServer(identity, serve).listen(443, pages.address),
];
await Promise.all(listening.map((each) => new Promise((done) => each.once('listening', done))));
const ports = listening.map((each) => (each.address() as AddressInfo).port);
process.stdout.write(`${JSON.stringify({ listening: ports })}\n`);
