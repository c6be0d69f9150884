/** The server behind the login's port may send anything: the service must go on, and the window must see the connection end. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LoginPort, openLoginPort } from './login-port.ts';
import type { LoginRoute } from './login-route.ts';

type Peer = (socket: Socket) => void;

async function loginTo(peer: Peer): Promise<LoginPort> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    peer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const route: LoginRoute = {
    async to() {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
  const opened = await openLoginPort(route, () => {});
  if (!opened.ok) throw new Error(opened.failure.message);
  onTestFinished(() => {
    opened.value.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return opened.value;
}

function ask({ host, port, user, password }: LoginPort, request: string): Socket {
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  const client = connect(port, host).on('error', () => {});
  const head = `host: portal.example\r\nproxy-authorization: Basic ${credentials}\r\n`;
  client.write(`${request}\r\nconnection: close\r\n${head}\r\n`);
  return client;
}

/** Everything that comes until the connection ends. */
async function heard(client: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  client.on('data', (piece) => pieces.push(piece));
  await once(client, 'close');
  return Buffer.concat(pieces).toString('latin1');
}

const get = 'GET http://portal.example/ HTTP/1.1';
/** Answers once a request has come; then the connection ends. */
const answers =
  (text: string): Peer =>
  (socket) =>
    socket.once('data', () => socket.end(text, 'latin1'));
const ok = 'HTTP/1.1 200 OK\r\n';
const upgrade = 'connection: upgrade\r\nupgrade: x\r\n\r\n';

test.each<[string, Peer]>([
  ['a status below 100', answers('HTTP/1.1 099 x\r\ncontent-length: 0\r\n\r\n')],
  ['a status of zero', answers('HTTP/1.1 000 x\r\n\r\n')],
  ['a status that is none', answers('HTTP/1.1 999 x\r\n\r\n')],
  ['another protocol', answers(`HTTP/1.1 101 x\r\n${upgrade}`)],
  ['another protocol, and stays', (socket) => socket.write(`HTTP/1.1 101 x\r\n${upgrade}`)],
  ['the wish for a password of the proxy', answers('HTTP/1.1 407 x\r\ncontent-length: 0\r\n\r\n')],
  ['a header that is none', answers(`${ok}a b: \0\r\n\r\n`)],
  ['more headers than fit', answers(`${ok}x: ${'y'.repeat(100_000)}\r\n\r\n`)],
  ['two lengths', answers(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\n12`)],
  ['HTTP/0.9', answers('<html>come in</html>')],
  ['HTTP/2', answers('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['nothing, and goes', (socket) => socket.end()],
  ['nothing, and breaks', (socket) => socket.resetAndDestroy()],
  ['hints, and breaks', (s) => s.write('HTTP/1.1 103 x\r\n\r\n', () => s.resetAndDestroy())],
])('of %s the window hears a refusal', async (_what, peer) => {
  expect(await heard(ask(await loginTo(peer), get))).toMatch(/^HTTP\/1\.1 502 /);
});

test.each<[string, Peer]>([
  ['a body', answers(`${ok}content-length: 9\r\n\r\n1`)],
  ['a chunk', answers(`${ok}transfer-encoding: chunked\r\n\r\nff\r\n1`)],
  ['chunks of no size', answers(`${ok}transfer-encoding: chunked\r\n\r\n1\r\n1\r\nxyz\r\n`)],
  [
    'trailers',
    answers(`${ok}transfer-encoding: chunked\r\n\r\n1\r\n1\r\n0\r\nx: ${'y'.repeat(99_999)}`),
  ],
])('what is cut off in %s is cut off for the window, too', async (_what, peer) => {
  const text = await heard(ask(await loginTo(peer), get));
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
});

/** Always sends a little more, or nothing at all. */
const trickles =
  (first: string, again: string): Peer =>
  (socket) => {
    socket.write(first);
    const every = setInterval(() => socket.write(again), 5);
    socket.once('close', () => clearInterval(every));
  };

test.each<[string, Peer, string]>([
  ['hints', trickles('', 'HTTP/1.1 103 x\r\n\r\n'), get],
  ['a head', trickles(ok, 'x'), get],
  ['a body', trickles(`${ok}\r\n`, 'x'), get],
  ['silence', () => {}, get],
  ['a tunnel', trickles('', 'x'), 'CONNECT portal.example:443 HTTP/1.1'],
])('%s without end comes to an end', async (_what, peer, request) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const met = Promise.withResolvers<void>();
  const port = await loginTo((socket) => {
    peer(socket);
    met.resolve();
  });
  const client = ask(port, request);
  let isEnded = false;
  void heard(client).then(() => {
    isEnded = true;
  });
  await met.promise;
  // The port may not have heard of the connection yet.
  await expect
    .poll(() => {
      vi.advanceTimersByTime(300_000);
      return isEnded;
    })
    .toBe(true);
});
