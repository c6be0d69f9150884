/** What one client, or one account, may take of the service. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { Role, ServiceSession } from '../../contract/service-api.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { client, giveStrangersTime, path, serve } from './control-server-fixture.ts';

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
  await expect.poll(() => handled, { timeout: 60_000 }).toBeGreaterThan(8);
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
  // all of it within one round of the event loop, in which no client can read
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
  // the requests among the last octets that were read are begun, too
  expect(begun).toBeLessThan(1_000);
  expect(socket.writableLength).toBeGreaterThan(0);
  expect(socket.destroyed).toBe(false);
  other.close();
  socket.destroy();
});

test('one account that only observes has so many connections, and no more; others have theirs', async () => {
  giveStrangersTime();
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
