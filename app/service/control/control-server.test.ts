import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createMessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
} from 'vscode-jsonrpc/node';
import { fail, succeed } from '../../contract/errors.ts';
import {
  roles,
  type ServiceHandlers,
  type ServiceSession,
  serviceApi,
} from '../../contract/service-api.ts';
import { connectToService } from '../../service-client/service-client.ts';
import {
  client,
  folder,
  giveStrangersTime,
  path,
  running,
  serve,
} from './control-server-fixture.ts';
import { checkSocketPath } from './control-socket.ts';

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

test('an expected failure arrives as a value; a bug in a handler names no query', async () => {
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
      message: expect.stringMatching(/upstreams\[0\]\.label/),
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
  giveStrangersTime();
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
  const { refused } = await serve(handlers as Partial<ServiceHandlers>, role);
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
  const others = Object.keys(serviceApi.methods).filter(
    (name) => !(name in Object.fromEntries(allowed)),
  );
  expect(refused).toEqual(others);
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

test('something else that listens there is not taken for a dead service', async () => {
  mkdirSync(dirname(path));
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(path, resolve));
  expect((await serve({})).listening).toMatchObject({ failure: { code: 'already-running' } });
  await new Promise((resolve) => other.close(resolve));
});
