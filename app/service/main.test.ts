import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CacheEntry } from '../contract/cache-entry.ts';
import { bucketOf, longestIn } from '../contract/latency-histogram.ts';
import type { ServiceStatus } from '../contract/service-status.ts';
import { connectToService } from '../service-client/service-client.ts';
import { type FakeEngine, fakeEngine } from './engine/fake-engine.ts';
import { createLog } from './logging/log.ts';
import { type RunningService, startService } from './main.ts';
import { openLedger } from './protection/ledger.ts';
import { encodeBatch, record } from './query-log/event-record-fixture.ts';
import { type TestFolder, testFolder } from './settings/test-folder.ts';

let folder: TestFolder;
let addon: FakeEngine;
let lines: string[];
let running: RunningService | undefined;

beforeEach(() => {
  folder = testFolder();
  addon = fakeEngine();
  lines = [];
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  folder.remove();
});

const home = () => folder.path;
const log = createLog({ write: (line) => lines.push(line) });

async function start(): Promise<RunningService> {
  const started = await startService({ home: home(), addon, log, environment: {} });
  if (!started.ok) throw new Error(started.failure.message);
  running = started.value;
  return running;
}

async function client() {
  const connected = await connectToService(join(home(), 'control.sock'), 'test');
  if (!connected.ok) throw new Error(connected.failure.message);
  return connected.value;
}

const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' };

test('it starts with the catalogue’s first resolver and says where it listens', async () => {
  await start();
  const said = lines.map((line) => JSON.parse(line)).find(({ message }) => message === 'listening');
  expect(said).toMatchObject({
    addresses: ['127.0.0.1:5300', '[::1]:5300'],
    control: join(home(), 'control.sock'),
  });
  const status = await (await client()).call('status.get', {});
  expect(status).toMatchObject({
    ok: true,
    value: {
      pid: process.pid,
      protection: { state: 'starting', upstream: 'Quad9' },
      sentence: 'Connecting to Quad9 …',
      upstreams: [{ id: 'quad9' }],
      log: { state: 'writing' },
      health: [],
    },
  });
});

test('off, pause and on through the socket, with the ledger telling it', async () => {
  folder.write('settings.json', { upstreams: [dot], systemResolvers: ['192.0.2.53'] });
  await start();
  const service = await client();
  expect(await service.call('protection.off', {})).toMatchObject({
    value: { protection: { state: 'off' }, clear: [{ class: 'off', count: 0, closed: null }] },
  });
  addon.sent.set(1, 2);
  expect(await service.call('status.get', {})).toMatchObject({ value: { clear: [{ count: 2 }] } });
  expect(await service.call('protection.pause', { minutes: 5 })).toMatchObject({
    value: { protection: { state: 'paused' } },
  });
  expect(await service.call('protection.on', {})).toMatchObject({
    value: { protection: { state: 'starting', upstream: 'a' }, clear: [] },
  });
  const ledger = await service.call('ledger.list', { limit: 10 });
  expect(
    ledger.ok &&
      ledger.value.entries.map((entry) => [entry.class, entry.count, entry.closed !== null]),
  ).toEqual([
    ['paused', 0, true],
    ['off', 2, true],
  ]);
});

test('followers get the snapshot, then what changes', async () => {
  folder.write('settings.json', { upstreams: [dot] });
  await start();
  const service = await client();
  const changed = new Promise<ServiceStatus>((resolve) => {
    service.on('status.changed', (status) => {
      if (status.protection.state === 'refusing') resolve(status);
    });
  });
  expect(await service.call('status.follow', {})).toMatchObject({
    value: { protection: { state: 'starting' } },
  });
  addon.upstreams.set('a', {
    state: 'resting',
    lastError: { code: 'certificate-name', text: 'wrong name' },
  });
  addon.change();
  expect(await changed).toMatchObject({
    sentence: 'No private path: questions are refused. a: wrong name.',
    health: [{ code: 'no-private-path' }, { code: 'certificate-wrong', subject: 'a' }],
  });
});

const failing = {
  state: 'resting',
  lastError: { code: 'timeout', text: 'timed out' },
} as const;

test('under fallback the lease follows what the engine says, not the clock', async () => {
  folder.write('settings.json', { upstreams: [dot], downgrade: 'fallback' });
  await start();
  const service = await client();
  const opened = new Promise((resolve) => service.on('ledger.changed', resolve));
  await service.call('ledger.follow', { limit: 1 });
  addon.upstreams.set('a', failing);
  addon.holding = 1;
  const leased = new Promise((resolve) => {
    addon.onApply = ({ leases }) => leases.length > 0 && resolve(running?.status().clear);
  });
  addon.change();
  expect(await leased).toMatchObject([{ class: 'policy', closed: null }]);
  expect(await opened).toMatchObject({ id: 1, class: 'policy', count: 0 });
  await expect
    .poll(() => service.call('status.get', {}))
    .toMatchObject({
      value: {
        protection: { state: 'exposed' },
        groups: [{ policy: 'fallback', why: 'your settings' }],
        health: [{ code: 'exposed' }],
      },
    });
});

test('under warn a person is asked through the contract, and answers', async () => {
  folder.write('settings.json', { upstreams: [dot], downgrade: 'warn' });
  addon.upstreams.set('a', failing);
  await start();
  const service = await client();
  const status = await service.call('status.get', {});
  if (!status.ok) throw new Error(status.failure.message);
  const [ask] = status.value.asks;
  expect(status.value).toMatchObject({
    protection: { state: 'asking' },
    health: [{ code: 'asking', text: expect.stringContaining(`sotto ask allow ${ask?.id}`) }],
  });
  expect(await service.call('ask.allow', { id: ask?.id ?? '', minutes: 5 })).toMatchObject({
    value: { state: 'allowed' },
  });
  expect(await service.call('ledger.list', { limit: 9, class: 'policy' })).toMatchObject({
    value: { entries: [{ closed: null, who: expect.stringMatching(/./) }] },
  });
  expect(await service.call('ask.deny', { id: 'none' })).toMatchObject({
    failure: { code: 'unknown-ask' },
  });
});

test('a server that stopped speaking TLS is told as what it may be', async () => {
  folder.write('settings.json', { upstreams: [dot] });
  await start();
  const service = await client();
  const { network } = running?.status() ?? { network: { id: '' } };
  addon.upstreams.set('a', failing);
  addon.sightings = [
    {
      upstream: 'a',
      address: '192.0.2.1:853',
      network: network.id,
      what: 'tls-refused',
      text: '',
      first: 1,
      last: 1,
      count: 1,
    },
  ];
  expect(await service.call('status.get', {})).toMatchObject({
    value: {
      health: [
        { code: 'no-private-path' },
        {
          code: 'downgrade-attempt',
          subject: 'a',
          text: expect.stringMatching(
            /refused TLS at .* Nothing was sent in clear; questions are refused/,
          ),
        },
      ],
    },
  });
});

test('what a killed service had counted is in the ledger before the engine begins', async () => {
  folder.write('settings.json', {
    upstreams: [dot],
    bypass: [{ suffix: 'corp.example', to: ['192.0.2.9'] }],
  });
  const ledger = openLedger(join(home(), 'ledger.sqlite'), () => 1);
  ledger.open({
    class: 'bypass',
    network: 'none',
    networkLabel: '',
    group: '',
    rule: 'corp.example',
    reason: '',
    who: '',
    until: null,
  });
  ledger.release();
  const counts = Buffer.alloc(40);
  counts.writeBigUInt64LE(1n, 0);
  counts.writeBigUInt64LE(21n, 8);
  writeFileSync(join(home(), 'leases.counts'), counts);
  await start();
  expect(await (await client()).call('ledger.list', { limit: 9 })).toMatchObject({
    value: {
      entries: [
        { id: 2, closed: null },
        { id: 1, count: 21, closed: 'interrupted' },
      ],
    },
  });
  expect(running?.status().health).toMatchObject([{ code: 'counts-incomplete' }]);
});

test('networks answer, and say why they are not told apart where they are not', async () => {
  await start();
  expect(await (await client()).call('network.list', {})).toMatchObject({
    value: { unavailable: expect.stringMatching(/./) },
  });
});

test('settings are applied live; broken ones leave the old in force and say so', async () => {
  folder.write('settings.json', { upstreams: [dot] });
  await start();
  const service = await client();
  const until = (wanted: (status: ServiceStatus) => boolean) =>
    expect
      .poll(async () => {
        const status = await service.call('status.get', {});
        return status.ok && wanted(status.value);
      })
      .toBe(true);

  renameSync(
    folder.write('new.json', { upstreams: [{ ...dot, id: 'b' }] }),
    join(home(), 'settings.json'),
  );
  await until(({ upstreams }) => upstreams[0]?.id === 'b');

  folder.write('settings.json', { upstreams: [{ ...dot, transport: 'doh' }] });
  await until(({ health }) =>
    health.some(
      ({ code, text }) => code === 'settings-invalid' && text.includes('upstreams[0].transport'),
    ),
  );
  expect(addon.applied.at(-1)?.upstreams).toMatchObject([{ id: 'b' }]);

  folder.write('settings.json', { upstreams: [dot] });
  await until(({ health, upstreams }) => health.length === 0 && upstreams[0]?.id === 'a');
});

test('settings the engine refuses are told like any other error', async () => {
  await start();
  addon.onApply = () => {
    throw new Error(
      JSON.stringify({
        code: 'listen-failed',
        path: 'listen[0]',
        message: 'the address is in use',
        remedy: 'stop the other program',
      }),
    );
  };
  folder.write('settings.json', { upstreams: [dot] });
  const service = await client();
  await expect
    .poll(async () => service.call('status.get', {}))
    .toMatchObject({
      value: { health: [{ code: 'listen-failed' }], upstreams: [{ id: 'quad9' }] },
    });
});

test('every setting is explained with its source and lock', async () => {
  folder.write('settings.json', { cache: { entries: 7 } });
  folder.write('policy.d/10.json', {
    name: 'Corp',
    settings: { 'queryLog.mode': { value: 'counts', lock: true, reason: 'the law' } },
  });
  await start();
  const effective = await (await client()).call('settings.effective', {});
  if (!effective.ok) throw new Error(effective.failure.message);
  const byKey = new Map(effective.value.settings.map((setting) => [setting.key, setting]));
  expect(byKey.get('cache.entries')).toMatchObject({
    value: 7,
    source: { layer: 'user' },
    locked: false,
    unit: 'entries',
  });
  expect(byKey.get('queryLog.mode')).toMatchObject({
    value: 'counts',
    source: { layer: 'policy' },
    locked: true,
    lockedBy: 'Corp',
    reason: 'the law',
  });
  expect(byKey.get('downgrade')).toMatchObject({
    value: 'refuse',
    source: { layer: 'default', file: null },
  });
});

test('a question is asked, stored and followed, and its name stays out of the application log', async () => {
  await start();
  const service = await client();
  addon.event = encodeBatch([record({ name: 'secret.example' })]);
  const followed = new Promise((resolve) => service.on('log.events', resolve));
  expect(await service.call('log.follow', { name: '*.EXAMPLE' })).toEqual({
    ok: true,
    value: { subscription: 1 },
  });

  expect(await service.call('query.ask', { name: 'secret.example', type: 'A' })).toMatchObject({
    value: { event: { name: 'secret.example', outcome: 'forwarded' }, reply: { rcode: 'NOERROR' } },
  });
  expect(await service.call('query.ask', { name: 'secret..example', type: 'A' })).toMatchObject({
    failure: { code: 'bad-question' },
  });
  addon.deliver(encodeBatch([record({ name: 'other.test' }), record({ name: 'secret.example' })]));
  expect(await followed).toMatchObject({ events: [{ name: 'secret.example' }] });
  await expect
    .poll(() => service.call('log.query', { name: 'secret*', limit: 10 }))
    .toMatchObject({ value: { events: [{ name: 'secret.example' }] } });
  expect(await service.call('log.clear', {})).toMatchObject({ ok: true });
  expect(await service.call('log.query', { limit: 10 })).toEqual({
    ok: true,
    value: { events: [] },
  });

  await running?.stop();
  running = undefined;
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join('')).not.toMatch(/secret/);
});

const kept = (name: string, type = 'A'): CacheEntry => ({
  name,
  type,
  class: 'IN',
  rcode: 'NOERROR',
  answers: 1,
  ttlLeft: 60,
  stale: false,
  dnssecOk: false,
  checkingDisabled: false,
  upstream: 'a',
  authenticated: true,
  octets: 90,
  negative: false,
});

test('the cache is shown and flushed by name, by suffix, and whole', async () => {
  await start();
  const service = await client();
  addon.cached = [
    kept('a.example'),
    kept('a.example', 'AAAA'),
    kept('www.b.test'),
    kept('b.test'),
    kept('c.test'),
  ];
  expect(await service.call('cache.stats', {})).toMatchObject({
    value: { entries: 5, octets: 450, capacity: 38_400_000 },
  });
  expect(await service.call('cache.show', { name: 'a.example', type: 'aaaa' })).toEqual({
    ok: true,
    value: { entries: [kept('a.example', 'AAAA')] },
  });
  expect(await service.call('cache.show', { name: 'a..example' })).toMatchObject({
    failure: { code: 'bad-question' },
  });
  expect(await service.call('cache.flush', { name: 'a.example', suffix: 'test' })).toMatchObject({
    failure: { code: 'params-invalid' },
  });
  const removed = (value: number) => ({ ok: true, value: { removed: value } });
  expect(await service.call('cache.flush', { name: 'a.example' })).toEqual(removed(2));
  expect(await service.call('cache.flush', { suffix: 'b.test' })).toEqual(removed(2));
  expect(await service.call('cache.flush', {})).toEqual(removed(1));
});

test('figures count what the log sees, even where it keeps little', async () => {
  folder.write('settings.json', { upstreams: [dot], queryLog: { mode: 'counts' } });
  await start();
  const service = await client();
  const changed = new Promise((resolve) => service.on('stats.changed', resolve));
  addon.deliver(encodeBatch([record({ cost: 2, total: 9_000 }), record({ outcome: 1, cost: 0 })]));
  await expect
    .poll(() => service.call('stats.get', {}))
    .toMatchObject({
      value: {
        upstreams: [{ id: 'a' }],
        tally: {
          questions: 2,
          costs: { reused: 0, resumed: 1 },
          forwarded: [[longestIn(bucketOf(9_000)), 1]],
        },
      },
    });
  const now = await service.call('stats.follow', {});
  expect(now.ok && now.value.memory).toBeGreaterThan(1_000_000);
  expect(await changed).toMatchObject({ tally: { questions: 2 } });
});

test('a pattern with too many stars is refused, live as in the past', async () => {
  await start();
  const service = await client();
  const name = '*a'.repeat(9);
  const refused = { failure: { code: 'params-invalid', subject: 'name' } };
  expect(await service.call('log.follow', { name })).toMatchObject(refused);
  expect(await service.call('log.query', { name, limit: 1 })).toMatchObject(refused);
  expect(await service.call('log.follow', { name: '**a'.repeat(8) })).toMatchObject({ ok: true });
});

test('a history begun afresh is told as that, not as one that stopped', async () => {
  folder.write('query-log.sqlite', 'no database');
  await start();
  expect(await (await client()).call('status.get', {})).toMatchObject({
    value: { log: { state: 'writing' }, health: [{ code: 'log-begun-afresh', severity: 'info' }] },
  });
});

test('an upstream that does not exist is named', async () => {
  await start();
  expect(await (await client()).call('upstream.test', { id: 'nope' })).toMatchObject({
    failure: { code: 'unknown-upstream', subject: 'nope' },
  });
});

test('forgetting empties the tickets of one upstream, or of all', async () => {
  folder.write('settings.json', { upstreams: [dot] });
  await start();
  const service = await client();
  addon.tickets.set('a', 3).set('b', 4);
  expect(await service.call('upstream.forget', { id: 'nope' })).toMatchObject({
    failure: { code: 'unknown-upstream', subject: 'nope' },
  });
  expect([...addon.tickets.keys()]).toEqual(['a', 'b']);
  expect(await service.call('upstream.forget', { id: 'a' })).toMatchObject({
    value: { tickets: 3 },
  });
  expect(await service.call('upstream.forget', {})).toMatchObject({ value: { tickets: 4 } });
  expect(addon.tickets.size).toBe(0);
});

test('it stops cleanly: the engine first, then socket gone, entries closed, and it can start again', async () => {
  folder.write('settings.json', {
    upstreams: [dot],
    bypass: [{ suffix: 'corp.example', to: ['192.0.2.9'] }],
  });
  const service = await start();
  await service.stop();
  expect(addon.stopped).toBe(true);
  expect(existsSync(join(home(), 'control.sock'))).toBe(false);
  await start();
  const ledger = await (await client()).call('ledger.list', { limit: 10 });
  expect(ledger.ok && ledger.value.entries.map(({ closed }) => closed)).toEqual([
    null,
    'the service stopped',
  ]);
});

test.each([
  [null, false],
  [{ watchdogMs: 60_000 }, true],
])('the status tells whether somebody watches over the service: %j', async (guarded, expected) => {
  addon.guarded = () => guarded;
  await start();
  expect(await (await client()).call('status.get', {})).toMatchObject({
    value: { guarded: expected },
  });
});

test('a second service in the same folder is refused', async () => {
  await start();
  expect(
    await startService({ home: home(), addon: fakeEngine(), log, environment: {} }),
  ).toMatchObject({
    failure: { code: 'already-running', message: `Sotto is already running, pid ${process.pid}` },
  });
});

test('it does not start with broken settings, and lists every error', async () => {
  folder.write('settings.json', { cash: 1, downgrade: 'maybe' });
  expect(await startService({ home: home(), addon, log, environment: {} })).toMatchObject({
    failure: {
      code: 'settings-invalid',
      message: expect.stringMatching(
        /cash: unknown field[\s\S]*downgrade: "maybe" is not a downgrade policy/,
      ),
    },
  });
  expect(addon.applied).toEqual([]);
});

test('it does not start where it can’t listen, and leaves nothing open', async () => {
  addon.onApply = () => {
    throw new Error(
      JSON.stringify({
        code: 'listen-failed',
        path: 'listen[0]',
        message: 'in use',
        remedy: 'stop it',
      }),
    );
  };
  expect(await startService({ home: home(), addon, log, environment: {} })).toMatchObject({
    failure: { code: 'listen-failed', subject: 'listen[0]' },
  });
  addon.onApply = () => {};
  await start();
});

test('its files are for its owner only', async () => {
  await start();
  for (const name of ['control.sock', 'ledger.sqlite', 'query-log.sqlite'])
    expect([name, statSync(join(home(), name)).mode & 0o077]).toEqual([name, 0]);
});
