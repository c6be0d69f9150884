import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LoginPort, openLoginPort } from './login-port.ts';
import type { LoginRoute, Refusal } from './login-route.ts';

const run = promisify(execFile);

interface Stage {
  port: LoginPort;
  /** every "host:port" that the route was asked for */
  asked: string[];
  moved: ReturnType<typeof vi.fn>;
  /** the paths of the requests */
  pages: string[];
}

/** A route on which every host is the same web server; some names stand for a refusal. */
async function stage(): Promise<Stage> {
  const pages: string[] = [];
  const web = createServer((request, response) => {
    const { method, url, headers } = request;
    pages.push(`${method} ${headers.host}${url} ${headers['proxy-authorization'] ?? '-'}`);
    request.resume();
    request.once('end', () => response.end(`page of ${headers.host}`));
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  onTestFinished(() => void web.closeAllConnections());
  const { port: webPort } = web.address() as AddressInfo;
  const asked: string[] = [];
  const refusals: Record<string, Refusal> = {
    'bank.example': 'forbidden',
    'nowhere.example': 'unresolved',
    'dead.example': 'unreachable',
  };
  const route: LoginRoute = {
    async to(host, port) {
      asked.push(`${host}:${port}`);
      const refusal = refusals[host];
      if (refusal !== undefined) return refusal;
      const socket = connect(webPort, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
  const moved = vi.fn();
  const opened = await openLoginPort(route, moved);
  if (!opened.ok) throw new Error(opened.failure.message);
  onTestFinished(() => opened.value.close());
  return { port: opened.value, asked, moved, pages };
}

type Tongue = 'socks' | 'http';

async function curl({ port }: Stage, tongue: Tongue, url: string, password = port.password) {
  const by = tongue === 'socks' ? '--socks5-hostname' : '--proxy';
  const options = [by, `${port.host}:${port.port}`, '--proxy-user', `${port.user}:${password}`];
  const { stdout } = await run('curl', ['-sS', '--max-time', '100', ...options, url]).catch(
    (error: { code: number; stderr: string }) => ({ stdout: `curl: ${error.stderr}` }),
  );
  return stdout;
}

const tongues: Tongue[] = ['socks', 'http'];

test.each(tongues)('a client that speaks %s gets through with the password', async (tongue) => {
  const at = await stage();
  expect(await curl(at, tongue, 'http://portal.example/a?b=c')).toBe('page of portal.example');
  expect(at.asked).toEqual(['portal.example:80']);
  expect(at.pages).toEqual(['GET portal.example/a?b=c -']);
  expect(at.moved).toHaveBeenCalled();
});

test.each(tongues)('without the password nobody is asked anything, by %s', async (tongue) => {
  const at = await stage();
  const { user, password } = at.port;
  for (const wrong of ['', 'x', password.slice(0, -1), `${password}x`, user])
    expect(await curl(at, tongue, 'http://portal.example/', wrong)).not.toContain('page of');
  expect(at.asked).toEqual([]);
});

test('a tunnel through HTTP', async () => {
  const at = await stage();
  const { port, user, password } = at.port;
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  const head = `CONNECT [2001:db8::1]:443 HTTP/1.1\r\nhost: x\r\nproxy-authorization: Basic ${credentials}\r\n\r\n`;
  const client = connect(port, '127.0.0.1');
  client.write(head);
  expect(await next(client)).toContain('200 Connected');
  client.write('GET /x HTTP/1.1\r\nhost: portal.example\r\nconnection: close\r\n\r\n');
  expect(await next(client)).toContain('page of portal.example');
  expect(at.asked).toEqual(['2001:db8::1:443']);
});

test.each([
  ['bank.example', '(2)', '403'],
  ['nowhere.example', '(4)', '502'],
  ['dead.example', '(5)', '504'],
])('the way to %s is refused in words of both tongues', async (host, socks, status) => {
  const at = await stage();
  expect(await curl(at, 'socks', `http://${host}/`)).toContain(socks);
  const { port } = at;
  const by = [
    '--proxy',
    `${port.host}:${port.port}`,
    '--proxy-user',
    `${port.user}:${port.password}`,
  ];
  const only = ['-s', '-o', '/dev/null', '-w', '%{http_code}'];
  expect((await run('curl', [...only, ...by, `http://${host}/`])).stdout).toBe(status);
});

test('closing cuts what is open, and nobody comes in again', async () => {
  const at = await stage();
  const client = await greeted(at.port);
  client.write(Buffer.from([5, 1, 0, 3, 1, 0x61, 0, 80]));
  expect([...(await taken(client))].slice(0, 2)).toEqual([5, 0]);
  const closed = once(client, 'close');
  at.port.close();
  await closed;
  const late = connect(at.port.port, at.port.host);
  const [error] = await once(late, 'error');
  expect((error as NodeJS.ErrnoException).code).toBe('ECONNREFUSED');
});

/** What the client sends after the greeting and the password, and the reply code of SOCKS. */
test.each<[string, number[], number | null]>([
  ['BIND', [5, 2, 0, 1, 192, 0, 2, 1, 0, 80], 7],
  ['UDP ASSOCIATE', [5, 3, 0, 1, 192, 0, 2, 1, 0, 80], 7],
  ['an unknown kind of address', [5, 1, 0, 9, 1, 2, 3], 8],
  ['another version', [4, 1, 0, 1, 192, 0, 2, 1, 0, 80], null],
])('%s is refused', async (_what, request, code) => {
  const at = await stage();
  const client = await greeted(at.port);
  client.write(Buffer.from(request));
  const said = await octets(client);
  expect(code === null ? said.length : said[1]).toBe(code ?? 0);
  expect(at.asked).toEqual([]);
});

test.each<[string, Buffer]>([
  ['no method but none', Buffer.from([5, 1, 0])],
  ['no methods', Buffer.from([5, 0])],
  ['a greeting cut short', Buffer.from([5, 9, 2])],
  ['SOCKS 4', Buffer.from([4, 1, 0, 80, 192, 0, 2, 1, 0])],
  ['TLS', Buffer.from([22, 3, 1, 0, 5, 1, 0, 0, 1, 3])],
  ['noise', Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7) % 256))],
  ['a page of this machine', Buffer.from('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')],
  [
    'a page asked for without a proxy',
    Buffer.from('POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'),
  ],
])('%s leads nowhere', async (_what, greeting) => {
  const at = await stage();
  const client = connect(at.port.port, at.port.host);
  client.end(greeting);
  const said = await octets(client);
  expect(said.toString('latin1')).not.toContain('page of');
  expect(at.asked).toEqual([]);
});

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['the beginning of a request', Buffer.from('GET http://portal.example/ HTTP/1.1\r\nhost: ')],
  ['a request without the password', Buffer.from('GET http://a/ HTTP/1.1\r\nhost: a\r\n\r\n')],
  ['a greeting that is refused', Buffer.from([5, 1, 0])],
  ['a greeting and no more', Buffer.from([5, 1, 2])],
])(
  'whoever says %s and stays keeps nobody out, and is gone after ten seconds',
  async (_what, said) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const at = await stage();
    const strangers = Array.from({ length: 130 }, () => {
      const client = connect({ host: at.port.host, port: at.port.port, allowHalfOpen: true });
      client.resume();
      client.write(said);
      return client;
    });
    const gone = Promise.all(strangers.map(closed));
    expect(await curl(at, 'http', 'http://portal.example/')).toBe('page of portal.example');
    vi.advanceTimersByTime(10_000);
    for (const client of strangers) client.end();
    await gone;
  },
);

test('no more than sixty-four get in at a time', async () => {
  const at = await stage();
  const { host, port, user, password } = at.port;
  const guests = await Promise.all(Array.from({ length: 64 }, () => greeted(at.port)));
  const late = connect(port, host);
  const words = [user, password].flatMap((word) => [word.length, ...Buffer.from(word)]);
  late.write(Buffer.from([5, 1, 2, 1, ...words, 5, 1, 0, 3, 1, 0x61, 0, 80]));
  expect([...(await octets(late))]).toEqual([5, 2]);
  for (const guest of guests) guest.destroy();
});

test('octets that come one by one are read as if they came at once', async () => {
  const at = await stage();
  const { user, password } = at.port;
  const client = connect(at.port.port, at.port.host);
  const all = [
    ...[5, 2, 0, 2],
    ...[1, user.length, ...Buffer.from(user), password.length, ...Buffer.from(password)],
    ...[5, 1, 0, 3, 14, ...Buffer.from('portal.example'), 0, 80],
    ...Buffer.from('GET /slow HTTP/1.1\r\nhost: portal.example\r\nconnection: close\r\n\r\n'),
  ];
  client.setNoDelay(true);
  for (const octet of all) client.write(Buffer.from([octet]));
  expect((await octets(client)).toString('latin1')).toContain('page of portal.example');
});

test('a server that ends ends the client, and the other way round', async () => {
  const server = createTcpServer((socket) => socket.end('bye')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port: serverPort } = server.address() as AddressInfo;
  const route: LoginRoute = {
    async to() {
      const socket = connect(serverPort, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
  const opened = await openLoginPort(route, () => {});
  if (!opened.ok) throw new Error(opened.failure.message);
  onTestFinished(() => opened.value.close());
  const client = await greeted(opened.value);
  client.write(Buffer.from([5, 1, 0, 3, 1, 0x61, 0, 80]));
  expect((await octets(client)).toString('latin1')).toMatch(/bye$/);
});

async function greeted({ host, port, user, password }: LoginPort): Promise<Socket> {
  const client = connect(port, host);
  client.on('error', () => {});
  client.write(Buffer.from([5, 1, 2]));
  expect([...(await taken(client))]).toEqual([5, 2]);
  const words = [user, password].flatMap((word) => [word.length, ...Buffer.from(word)]);
  client.write(Buffer.from([1, ...words]));
  expect([...(await taken(client))]).toEqual([1, 0]);
  return client;
}

async function taken(client: Socket): Promise<Buffer> {
  const waited = once(client, 'data');
  client.resume();
  const [piece] = (await waited) as [Buffer];
  client.pause();
  return piece;
}

async function next(client: Socket): Promise<string> {
  return (await taken(client)).toString('latin1');
}

/** Everything that comes until the connection ends. */
async function octets(client: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  client.on('data', (piece) => pieces.push(piece));
  client.resume();
  await closed(client);
  return Buffer.concat(pieces);
}

/** Resolves however the connection ends, by a reset too. */
async function closed(client: Socket): Promise<void> {
  client.on('error', () => {});
  await new Promise<void>((ended) => client.once('close', () => ended()));
}
