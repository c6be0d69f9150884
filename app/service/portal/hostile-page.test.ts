/**
 * The server of a probed page may send anything, at any pace: each look must end, with a page or without one, and no error may
 * escape it.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fetchPage } from './fetch-page.ts';

type Peer = (socket: Socket) => void;

/** Sends this at the connection's start, before any request. */
const says =
  (text: string | Buffer): Peer =>
  (socket) =>
    void socket.write(text);
const saysAndGoes =
  (text: string): Peer =>
  (socket) =>
    void socket.end(text);
/** Sends as much as the client takes, until it takes no more. */
const saysOnAndOn =
  (first: string, again: string): Peer =>
  (socket) => {
    socket.write(first);
    const more = () => {
      while (!socket.destroyed && socket.write(again.repeat(64)));
    };
    socket.on('drain', more);
    more();
  };
/** Always sends a little more, so that no timer for silence ends it. */
const trickles =
  (first: string, again: string): Peer =>
  (socket) => {
    socket.write(first);
    const every = setInterval(() => socket.write(again), 5);
    socket.once('close', () => clearInterval(every));
  };
const resets: Peer = (socket) => void socket.resetAndDestroy();

/** `answerMs`: short where there will be no page. */
async function fetchFrom(peer: Peer, protocol = 'http', answerMs = 300) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
    peer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return await fetchPage({
    url: new URL(`${protocol}://192.0.2.1:${port}/`),
    ip: '127.0.0.1',
    localAddress: null,
    accept: '*/*',
    connectMs: 10_000,
    answerMs,
    signal: new AbortController().signal,
    postQuantum: 'prefer',
  });
}

const upgrade = 'connection: upgrade\r\nupgrade: x\r\n\r\n';
const ok = 'HTTP/1.1 200 OK\r\n';

test.each<[string, Peer]>([
  ['switches protocols and stays', says(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}`)],
  ['switches protocols and goes', saysAndGoes(`HTTP/1.1 101 x\r\n${upgrade}`)],
  ['switches protocols, and breaks', (s) => s.end(`HTTP/1.1 101 x\r\n${upgrade}`, () => resets(s))],
  ['says for ever that it goes on', saysOnAndOn('', 'HTTP/1.1 100 Continue\r\n\r\n')],
  ['gives hints for ever', saysOnAndOn('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')],
  ['says nothing', () => {}],
  ['breaks', resets],
  ['goes', (socket) => socket.end()],
  ['has a header without end', saysOnAndOn(`${ok}x: `, 'x')],
  ['has headers without end', saysOnAndOn(ok, 'x: y\r\n')],
  ['has a body that trickles', trickles(`${ok}content-length: 99999\r\n\r\n`, '1')],
  ['has a head that trickles', trickles(ok, 'x')],
  ['is cut off in its body', saysAndGoes(`${ok}content-length: 9\r\n\r\n1`)],
  ['is cut off in a chunk', saysAndGoes(`${ok}transfer-encoding: chunked\r\n\r\nff\r\n1`)],
  ['has chunks of no size', saysAndGoes(`${ok}transfer-encoding: chunked\r\n\r\nxyz\r\n1`)],
  ['has two lengths', saysAndGoes(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\n12`)],
  [
    'has trailers without end',
    saysOnAndOn(`${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x: y\r\n'),
  ],
  ['speaks HTTP/0.9', saysAndGoes('<html>come in</html>')],
  ['speaks HTTP/2', says('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ['speaks TLS', says(Buffer.from('16030300040e000000', 'hex'))],
  ['has a status of four digits', saysAndGoes('HTTP/1.1 2000 OK\r\n\r\n')],
  ['has names of headers that are none', saysAndGoes(`${ok}a b: c\r\n\r\n`)],
  ['has values that are none', saysAndGoes(`${ok}a: \0\x7f\r\n\r\n`)],
])('a peer that %s is no page', async (_what, peer) => {
  expect(await fetchFrom(peer)).toBeNull();
});

test.each<[string, Peer]>([
  ['says nothing', () => {}],
  ['speaks HTTP', saysAndGoes(`${ok}\r\n`)],
  ['breaks', resets],
  [
    'has certificates without end',
    saysOnAndOn('\x16\x03\x03\x40\x00\x0b\xff\xff\xff', '\0'.repeat(16_384)),
  ],
])('a peer that is asked for TLS and %s is no page', async (_what, peer) => {
  expect(await fetchFrom(peer, 'https')).toBeNull();
});

test.each<[string, Peer, object]>([
  ['a status below 100', saysAndGoes('HTTP/1.1 099 x\r\n\r\n'), { status: 99, leadsTo: null }],
  [
    'a redirect to a strange scheme',
    saysAndGoes('HTTP/1.1 302 x\r\nlocation: javascript:1\r\n\r\n'),
    { leadsTo: null },
  ],
  ['a redirect to itself', saysAndGoes('HTTP/1.1 302 x\r\nlocation: /\r\n\r\n'), { status: 302 }],
  ['a body without end', saysOnAndOn(`${ok}\r\n`, 'x'.repeat(1024)), { body: 'x'.repeat(65_536) }],
  [
    'a bomb, which stays packed',
    saysAndGoes(`${ok}content-encoding: gzip\r\n\r\n\x1f`),
    { body: '\x1f' },
  ],
])('%s is read as what it is', async (_what, peer, page) => {
  expect(await fetchFrom(peer, 'http', 60_000)).toMatchObject(page);
});

test('what is sent names no program, and is what NetworkManager sends', async () => {
  let heard = '';
  const hears: Peer = (socket) => {
    socket.on('data', (piece) => {
      heard += piece;
      socket.end(`${ok}\r\n`);
    });
  };
  await fetchFrom(hears, 'http', 60_000);
  expect(heard).toMatch(
    /^GET \/ HTTP\/1\.1\r\nHost: 192\.0\.2\.1:\d+\r\nAccept: \*\/\*\r\nConnection: close\r\n\r\n$/,
  );
});
