import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createMessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-jsonrpc/node';
import { fail, succeed } from '../../contract/errors.ts';
import {
  type Role,
  roles,
  type ServiceHandlers,
  type ServiceSession,
  serviceApi,
} from '../../contract/service-api.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { createLog } from '../logging/log.ts';
import { type TestFolder, testFolder } from '../settings/test-folder.ts';
import { type ControlServer, createControlServer } from './control-server.ts';
import { checkSocketPath, listenOnSocket } from './control-socket.ts';

let folder: TestFolder;
let path: string;
const running: ControlServer[] = [];

beforeEach(() => {
  folder = testFolder();
  path = join(folder.path, 'run', 'control.sock');
});
afterEach(async () => {
  for (const control of running.splice(0)) await control.close();
  folder.remove();
});

/** Only what a test uses; the rest would fail loudly as "internal". */
async function serve(
  handlers: Partial<ServiceHandlers>,
  role: Role | null | (() => Role) = 'administer',
  personOf: () => (() => string) | null = () => null,
  accountOf: () => number | null = () => null,
) {
  const lines: string[] = [];
  const control = createControlServer({
    handlers: handlers as ServiceHandlers,
    version: '1.2.3',
    log: createLog({ write: (line) => lines.push(line) }),
    roleOf: () => (typeof role === 'function' ? role() : role),
    personOf,
    accountOf,
    howToGet: (needed) => `how to get ${needed}`,
  });
  const listening = await listenOnSocket(control.server, path);
  if (listening.ok) running.push(control);
  return { control, listening, lines };
}

async function client() {
  const connected = await connectToService(path, 'test');
  if (!connected.ok) throw new Error(connected.failure.message);
  return connected.value;
}

test('a client says hello and calls; the socket is for its owner only', async () => {
  await serve({ 'cache.flush': () => succeed({ removed: 3 }) });
  const service = await client();
  expect(service.hello).toEqual({
    contract: 1,
    version: '1.2.3',
    pid: process.pid,
    role: 'administer',
  });
  expect(await service.call('cache.flush', {})).toEqual({ ok: true, value: { removed: 3 } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.path, 'run')).mode & 0o777).toBe(0o700);
  service.close();
});

test('an unknown field is refused by its name, and the handler never sees it', async () => {
  let calls = 0;
  await serve({
    'upstream.test': () => {
      calls++;
      return fail('unknown-upstream', '', '');
    },
  });
  const service = await client();
  const reply = await service.call('upstream.test', { id: 'a', force: true } as never);
  expect(reply).toMatchObject({
    ok: false,
    failure: {
      code: 'params-invalid',
      subject: 'force',
      message: expect.stringMatching(/force: unknown field/),
    },
  });
  expect(calls).toBe(0);
});

test('a connection is handed over by the client’s word alone; whatever else it sends ends it', async () => {
  const taken: unknown[] = [];
  await serve({
    'log.pour': (_params, session) => {
      session.handOver((connection) => taken.push(connection));
      return succeed({});
    },
  });
  const socket = await client().then(async (service) => {
    expect(await service.call('log.pour', { filter: '', format: 'csv' })).toMatchObject({
      ok: true,
    });
    return service.takeOver();
  });
  socket.end('Content-Length: 2\r\n\r\n{}');
  socket.resume();
  await once(socket, 'close');
  expect(taken).toEqual([]);
});

test('an expected failure arrives as a value; a bug in a handler names no question', async () => {
  const { lines } = await serve({
    'upstream.test': ({ id }) =>
      fail('unknown-upstream', `no upstream "${id}"`, 'see upstream list', id),
    'query.ask': () => {
      throw new TypeError('cannot ask secret.example');
    },
  });
  const service = await client();
  expect(await service.call('upstream.test', { id: 'x' })).toEqual({
    ok: false,
    failure: {
      code: 'unknown-upstream',
      message: 'no upstream "x"',
      remedy: 'see upstream list',
      subject: 'x',
    },
  });
  expect(await service.call('query.ask', { name: 'secret.example', type: 'A' })).toMatchObject({
    ok: false,
    failure: { code: 'internal' },
  });
  expect(lines.join('')).toMatch(/control method failed/);
  expect(lines.join('')).not.toMatch(/secret/);
});

test('a reply that breaks the contract is not passed on', async () => {
  await serve({ 'upstream.list': () => succeed({ upstreams: [{ id: 'a' }] }) as never });
  expect(await (await client()).call('upstream.list', {})).toMatchObject({
    ok: false,
    failure: {
      code: 'version-mismatch',
      message: expect.stringMatching(/upstreams\[0\]\.transport/),
    },
  });
});

test('nothing is answered before hello, nor to another contract', async () => {
  await serve({ 'cache.flush': () => succeed({ removed: 3 }) });
  const socket = connect(path);
  const raw = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  raw.listen();
  expect(await raw.sendRequest('cache.flush', {})).toMatchObject({
    failure: { code: 'hello-missing' },
  });
  expect(await raw.sendRequest('hello', { contract: 999, client: 'x' })).toMatchObject({
    failure: { code: 'version-mismatch' },
  });
  expect(await raw.sendRequest('cache.flush', {})).toMatchObject({
    failure: { code: 'hello-missing' },
  });
  expect(await raw.sendRequest('cache.empty', {})).toMatchObject({
    failure: { code: 'unknown-method' },
  });
  raw.dispose();
  socket.destroy();
});

test('a role may do what it may', async () => {
  await serve({ 'cache.flush': () => succeed({ removed: 3 }) }, 'observe');
  expect(await (await client()).call('cache.flush', {})).toMatchObject({
    failure: {
      code: 'forbidden',
      message: expect.stringMatching(/needs the role control; you have observe/),
      remedy: 'how to get control',
    },
  });
});

test('a stranger is refused, whatever it asks first', async () => {
  let calls = 0;
  await serve({ 'cache.flush': () => succeed({ removed: ++calls }) }, null);
  expect(await connectToService(path, 'test')).toMatchObject({
    ok: false,
    failure: { code: 'forbidden', remedy: 'how to get observe' },
  });
  expect(calls).toBe(0);
});

test.each(roles)('%s may call what its role may, and nothing else', async (role) => {
  const reached: string[] = [];
  const handlers = Object.fromEntries(
    Object.keys(serviceApi.methods).map((name) => [
      name,
      () => {
        reached.push(name);
        return fail('internal', 'reached', '');
      },
    ]),
  );
  await serve(handlers as Partial<ServiceHandlers>, role);
  const service = await client();
  for (const [name, { role: needed }] of Object.entries(serviceApi.methods)) {
    if (name === 'hello') continue;
    const reply = await service.call(name as 'cache.flush', {});
    const open = roles.indexOf(role) >= roles.indexOf(needed);
    const code = reply.ok ? 'done' : reply.failure.code;
    expect(code === 'forbidden', `${role} asks ${name}`).toBe(!open);
  }
  const allowed = Object.entries(serviceApi.methods).filter(
    ([, { role: needed }]) => roles.indexOf(role) >= roles.indexOf(needed),
  );
  expect(allowed.map(([name]) => name)).toEqual(expect.arrayContaining(reached));
  expect(reached).toContain('status.get');
  service.close();
});

test.each<[string | null, () => (() => string) | null]>([
  ['ann', () => () => 'ann'],
  [null, () => null],
])('a handler is told who asks: %s', async (who, personOf) => {
  const heard: (string | null)[] = [];
  const flush: ServiceHandlers['cache.flush'] = (_params, session) => {
    heard.push(session.who);
    return succeed({ removed: 0 });
  };
  await serve({ 'cache.flush': flush }, 'control', personOf);
  const service = await client();
  await service.call('cache.flush', {});
  service.close();
  expect(heard).toEqual([who]);
});

test('notifications reach their listeners, and the end of a connection its session', async () => {
  let session: ServiceSession | undefined;
  const ended = new Promise<void>((resolve) => {
    void serve({
      'log.follow': (_params, from) => {
        session = from;
        from.onClose(resolve);
        return succeed({ subscription: 7 });
      },
    });
  });
  await expect.poll(() => existsSync(path)).toBe(true);
  const service = await client();
  const first = new Promise((resolve) => service.on('log.events', resolve));
  await service.call('log.follow', {});
  session?.notify('log.events', { subscription: 7, events: [], leftOut: 0 });
  expect(await first).toEqual({ subscription: 7, events: [], leftOut: 0 });
  service.close();
  await ended;
});

test('a client is told when the service ends', async () => {
  const { control } = await serve({ 'cache.flush': () => new Promise(() => {}) });
  const service = await client();
  const closed = new Promise<void>((resolve) => service.onClose(resolve));
  const hanging = service.call('cache.flush', {});
  await control.close();
  await closed;
  expect(await hanging).toMatchObject({ failure: { code: 'connection-lost' } });
  expect(await service.call('cache.flush', {})).toMatchObject({
    failure: { code: 'connection-lost' },
  });
});

test('a second service is refused and names the first; a dead socket is replaced', async () => {
  await serve({});
  const second = await serve({});
  expect(second.listening).toMatchObject({
    ok: false,
    failure: { code: 'already-running', message: `Sotto is already running, pid ${process.pid}` },
  });

  await running.splice(0)[0]?.close();
  writeFileSync(path, '');
  expect((await serve({ 'cache.flush': () => succeed({ removed: 3 }) })).listening).toEqual(
    succeed(null),
  );
  expect(await (await client()).call('cache.flush', {})).toEqual(succeed({ removed: 3 }));
});

test('without a service the client says how to start one', async () => {
  expect(await connectToService(join(folder.path, 'none.sock'), 'test')).toMatchObject({
    failure: { code: 'not-running', remedy: 'start it with: sotto run' },
  });
});

test('a path too long for a socket is refused with its length', () => {
  expect(checkSocketPath(`/${'x'.repeat(106)}`).ok).toBe(true);
  expect(checkSocketPath(`/${'x'.repeat(107)}`)).toMatchObject({
    failure: { code: 'socket-path-too-long', message: expect.stringMatching(/108 octets/) },
  });
});

test('a peer that talks nonsense is let go without harm to others', async () => {
  await serve({ 'cache.flush': () => succeed({ removed: 3 }) });
  const socket = connect(path);
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.write('Content-Length: 5\r\n\r\n{{{{{');
  await gone;
  expect(await (await client()).call('cache.flush', {})).toEqual(succeed({ removed: 3 }));
});

test('a message that never ends fills no memory', async () => {
  await serve({ 'cache.flush': () => succeed({ removed: 3 }) }, 'observe');
  const socket = connect(path);
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.write('Content-Length: 1000000000\r\n\r\n');
  for (let chunk = 0; chunk < 32; chunk++) socket.write(Buffer.alloc(64 * 1024));
  await gone;
});

test('something else that listens there is not taken for a dead service', async () => {
  mkdirSync(dirname(path));
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(path, resolve));
  expect((await serve({})).listening).toMatchObject({ failure: { code: 'already-running' } });
  await new Promise((resolve) => other.close(resolve));
});

test('a client that asks and reads nothing has one answer made ready for it, and keeps nobody waiting', async () => {
  let handled = 0;
  const entries = [{ reason: 'x'.repeat(900_000) }];
  const list = () => {
    handled++;
    return succeed({ entries } as never);
  };
  const calm = { 'cache.flush': () => succeed({ removed: 3 }) };
  await serve({ 'ledger.list': list, ...calm });
  const socket = connect(path);
  socket.on('error', () => {});
  socket.write(request(0, 'hello', { contract: 1, client: 'test' }));
  for (let id = 1; id <= 2_000; id++) socket.write(request(id, 'ledger.list', { limit: 1000 }));
  await expect.poll(() => handled).toBeGreaterThan(0);
  const other = await client();
  for (let turn = 0; turn < 50; turn++) await other.call('cache.flush', {});
  expect(handled).toBeLessThan(4);
  socket.resume();
  await expect.poll(() => handled, { timeout: 20_000 }).toBeGreaterThan(8);
  socket.destroy();
  other.close();
});

test('a client that follows and reads too little loses what it follows, and can read why', async () => {
  const sessions: ServiceSession[] = [];
  const ended: string[] = [];
  await serve({
    'status.follow': (_params, session) => {
      const followed = session.subscribe('status', () => () => ended.push('status'));
      return followed.ok ? succeed({} as never) : followed;
    },
    'log.follow': (_params, session) => {
      sessions.push(session);
      const followed = session.subscribe('log', () => () => ended.push('log'), 7);
      return followed.ok ? succeed({ subscription: 7 }) : followed;
    },
  });
  const service = await client();
  await service.call('status.follow', {});
  await service.call('log.follow', {});
  const why: unknown[] = [];
  service.on('subscription.ended', (told) => why.push(told));
  // all of it within one round of the event loop, in which nobody can read
  const events = [{ name: 'x'.repeat(900_000) }] as never;
  for (let batch = 0; batch < 40; batch++)
    sessions[0]?.notify('log.events', { subscription: 7, events, leftOut: 0 });
  expect(ended).toEqual(['status', 'log']);
  await expect.poll(() => why.length).toBe(2);
  const failure = expect.objectContaining({ code: 'too-slow' });
  expect(why).toEqual([
    { topic: 'status', subscription: null, failure },
    { topic: 'log', subscription: 7, failure },
  ]);
  service.close();
});

test('each topic is followed once by a connection; logs by number, and so many of them', async () => {
  const ended: number[] = [];
  let number = 0;
  await serve({
    'stats.follow': (_params, session) => {
      const mine = ++number;
      const followed = session.subscribe('stats', () => () => ended.push(mine));
      return followed.ok ? succeed({} as never) : followed;
    },
    'log.follow': (_params, session) => {
      const subscription = ++number;
      const followed = session.subscribe('log', () => () => ended.push(subscription), subscription);
      return followed.ok ? succeed({ subscription }) : followed;
    },
  });
  const service = await client();
  for (let time = 0; time < 5; time++) await service.call('stats.follow', {});
  expect(ended).toEqual([1, 2, 3, 4]);
  const followed = [];
  for (let time = 0; time < 10; time++) followed.push(await service.call('log.follow', {}));
  expect(followed.filter(({ ok }) => ok)).toHaveLength(7);
  expect(followed.at(-1)).toMatchObject({
    failure: { code: 'too-many', subject: 'subscriptions.ofConnection' },
  });
  const other = await client();
  expect(await other.call('log.follow', {})).toMatchObject({ ok: true });
  service.close();
  other.close();
  await expect.poll(() => ended.length).toBe(13);
});

test('an account has so many subscriptions over all of its connections', async () => {
  await serve({
    'log.follow': (_params, session) => {
      const followed = session.subscribe('log', () => () => {}, Math.random());
      return followed.ok ? succeed({ subscription: 1 }) : followed;
    },
  });
  const clients = await Promise.all(Array.from({ length: 17 }, client));
  const all = await Promise.all(
    clients.flatMap((one) => Array.from({ length: 8 }, () => one.call('log.follow', {}))),
  );
  expect(all.filter(({ ok }) => ok)).toHaveLength(128);
  expect(all.find(({ ok }) => !ok)).toMatchObject({
    failure: { code: 'too-many', subject: 'subscriptions.ofAccount' },
  });
  for (const one of clients) one.close();
});

test('requests that nobody has answered yet are few, however many are sent', async () => {
  let begun = 0;
  const never = () => {
    begun++;
    return new Promise<never>(() => {});
  };
  await serve({ 'ledger.list': never, 'cache.stats': () => succeed({} as never) }, 'observe');
  const socket = connect(path);
  socket.on('error', () => {});
  socket.write(request(0, 'hello', { contract: 1, client: 'test' }));
  const flood = Array.from({ length: 20_000 }, (_, id) =>
    request(id + 1, 'ledger.list', { limit: 1 }),
  );
  socket.write(flood.join(''));
  const other = await client();
  for (let turn = 0; turn < 200; turn++) await other.call('cache.stats', {});
  expect(begun).toBeGreaterThan(0);
  // what came with the last octets that were read is begun, too
  expect(begun).toBeLessThan(3_000);
  expect(socket.writableLength).toBeGreaterThan(0);
  expect(socket.destroyed).toBe(false);
  other.close();
  socket.destroy();
});

test('one account that only observes has so many connections, and no more; others have theirs', async () => {
  let uid: number | null = 1001;
  let role: Role = 'observe';
  await serve(
    { 'cache.stats': () => succeed({} as never) },
    () => role,
    undefined,
    () => uid,
  );
  const open: Socket[] = [];
  for (let each = 0; each < 64; each++) {
    const socket = connect(path);
    socket.on('error', () => {});
    await once(socket, 'connect');
    open.push(socket);
  }
  const refused = await connectToService(path, 'test');
  expect(refused).toMatchObject({
    failure: { code: 'too-many', subject: 'connections.ofObserver' },
  });
  uid = 1002;
  (await client()).close();
  [uid, role] = [1001, 'control'];
  (await client()).close();
  role = 'observe';
  const closed = once(open[0] as Socket, 'close');
  open[0]?.destroy();
  await closed;
  await expect.poll(async () => (await connectToService(path, 'test')).ok).toBe(true);
  for (const socket of open) socket.destroy();
});

function request(id: number, method: string, params: object): string {
  const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return `Content-Length: ${text.length}\r\n\r\n${text}`;
}
