/** The service as a whole: how it starts, what it leaves behind, and when it refuses to. */
import { existsSync, statSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from './engine/fake-engine.ts';
import { createJournal } from './logging/journal.ts';
import { runService } from './main.ts';
import { dot, ServiceStage } from './service-stage.ts';

let stage: ServiceStage;

beforeEach(() => {
  stage = new ServiceStage();
});
afterEach(() => stage.close());

test('it starts with the catalogue’s first resolver and says where it listens', async () => {
  await stage.start();
  const said = stage.lines
    .map((line) => JSON.parse(line))
    .find(({ message }) => message === 'listening');
  expect(said).toMatchObject({
    addresses: ['127.0.0.1:5300', '[::1]:5300'],
    control: stage.file('control.sock'),
  });
  const status = await (await stage.client()).call('status.get', {});
  expect(status).toMatchObject({
    ok: true,
    value: {
      pid: process.pid,
      protection: { state: 'starting', upstream: 'Quad9' },
      sentence: 'Not in use yet. This computer asks somebody else, not Sotto.',
      upstreams: [{ id: 'quad9' }],
      log: { state: 'writing' },
      health: [],
    },
  });
});

test('it stops cleanly: the engine first, then socket gone, entries closed, and it can start again', async () => {
  stage.folder.write('settings.json', {
    upstreams: [dot],
    bypass: [{ suffix: 'corp.example', to: ['192.0.2.9'] }],
  });
  const service = await stage.start();
  await service.stop({ giveBack: true });
  expect(stage.addon.stopped).toBe(true);
  expect(existsSync(stage.file('control.sock'))).toBe(false);
  await stage.start();
  const ledger = await (await stage.client()).call('ledger.list', { limit: 10 });
  expect(ledger.ok && ledger.value.entries.map(({ closed }) => closed)).toEqual([
    null,
    'the service stopped',
  ]);
});

test.each([
  [null, false],
  [{ watchdogMs: 60_000 }, true],
])('the status tells whether somebody watches over the service: %j', async (guarded, expected) => {
  stage.addon.guarded = () => guarded;
  await stage.start();
  expect(await (await stage.client()).call('status.get', {})).toMatchObject({
    value: { guarded: expected },
  });
});

test('a second service in the same folder is refused', async () => {
  await stage.start();
  expect(await stage.attempt(fakeEngine())).toMatchObject({
    failure: { code: 'already-running', message: `Sotto is already running, pid ${process.pid}` },
  });
});

test('it does not start with broken settings, and lists every error', async () => {
  stage.folder.write('settings.json', { cash: 1, downgrade: 'maybe' });
  expect(await stage.attempt()).toMatchObject({
    failure: {
      code: 'settings-invalid',
      message: expect.stringMatching(
        /cash: unknown field[\s\S]*downgrade: "maybe" is not a downgrade policy/,
      ),
    },
  });
  expect(stage.addon.applied).toEqual([]);
});

test('it does not start where it can’t listen, and leaves nothing open', async () => {
  stage.addon.onApply = () => {
    throw new Error(
      JSON.stringify({
        code: 'listen-failed',
        path: 'listen[0]',
        message: 'in use',
        remedy: 'stop it',
      }),
    );
  };
  expect(await stage.attempt()).toMatchObject({
    failure: { code: 'listen-failed', subject: 'listen[0]' },
  });
  stage.addon.onApply = () => {};
  await stage.start();
});

test('its files are for its owner only', async () => {
  await stage.start();
  for (const name of ['control.sock', 'ledger.sqlite', 'query-log.sqlite'])
    expect([name, statSync(stage.file(name)).mode & 0o077]).toEqual([name, 0]);
});

test('it says that it is ready once it hears the signal that ends it', async () => {
  const before = process.listeners('SIGTERM');
  const heard: [said: string, listening: boolean][] = [];
  const hears = () => process.listeners('SIGTERM').length > before.length;
  const addon = Object.assign(stage.addon, {
    guarded: () => ({}),
    notifyGuardian: (said: string) => heard.push([said.split('\n')[0] ?? '', hears()]) > 0,
  });
  const journal = createJournal({ write: () => {} });
  const ended = runService({ home: stage.folder.path, addon, journal, environment: {} });
  await expect.poll(() => heard, { timeout: 60_000 }).toEqual([['READY=1', true]]);
  const added = process.listeners('SIGTERM').filter((listener) => !before.includes(listener));
  for (const listener of added) (listener as (signal: string) => void)('SIGTERM');
  expect(await ended).toMatchObject({ ok: true });
  expect(heard.at(-1)).toEqual(['STOPPING=1', true]);
});
