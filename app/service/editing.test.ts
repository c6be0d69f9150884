/** Changes of settings through the whole service: from the socket to the file and the engine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settingKeys, settingsFile } from '../contract/settings.ts';
import { type ConnectedService, connectToService } from '../service-client/service-client.ts';
import { type FakeEngine, fakeEngine } from './engine/fake-engine.ts';
import { createLog } from './logging/log.ts';
import { type RunningService, startService } from './main.ts';
import { type TestFolder, testFolder } from './settings/test-folder.ts';

let folder: TestFolder;
let addon: FakeEngine;
let running: RunningService | undefined;

beforeEach(() => {
  folder = testFolder();
  addon = fakeEngine();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  folder.remove();
});

async function start(settings: object = {}): Promise<ConnectedService> {
  folder.write('settings.json', settings);
  const log = createLog({ write: () => {} });
  const started = await startService({ home: folder.path, addon, log, environment: {} });
  if (!started.ok) throw new Error(started.failure.message);
  running = started.value;
  const connected = await connectToService(join(folder.path, 'control.sock'), 'test');
  if (!connected.ok) throw new Error(connected.failure.message);
  return connected.value;
}

const written = () => JSON.parse(readFileSync(join(folder.path, 'settings.json'), 'utf8'));

test('a setting is set, in force and taken back', async () => {
  const service = await start();
  expect(await service.call('settings.set', { key: 'cache.entries', value: 9 })).toMatchObject({
    value: { previous: { set: false }, setting: { value: 9 } },
  });
  expect(addon.applied.at(-1)?.cache.entries).toBe(9);
  expect(written()).toEqual({ cache: { entries: 9 } });
  expect(await service.call('settings.undo', {})).toMatchObject({ ok: true });
  expect(addon.applied.at(-1)?.cache.entries).toBe(100_000);
  expect(written()).toEqual({});
});

test('what the engine refuses stays out of the file, and the old settings in force', async () => {
  const service = await start();
  addon.onApply = ({ listen }) => {
    if (listen[0] !== '127.0.0.1:9') return;
    throw new Error(JSON.stringify({ code: 'listen-failed', message: 'in use', remedy: 'move' }));
  };
  expect(
    await service.call('settings.set', { key: 'listen', value: ['127.0.0.1:9'] }),
  ).toMatchObject({ failure: { code: 'listen-failed' } });
  expect(written()).toEqual({});
  expect(await service.call('settings.effective', {})).toMatchObject({
    value: {
      settings: [
        { key: 'listen', source: { layer: 'default' } },
        ...Array(settingKeys.length - 1).fill({}),
      ],
    },
  });
});

test('each setting is declared as data, and its default fits its own schema', async () => {
  const service = await start();
  const described = await service.call('settings.describe', {});
  if (!described.ok) throw new Error(described.failure.message);
  expect(described.value.settings.map(({ key }) => key)).toEqual(settingKeys);
  const days = described.value.settings.find(({ key }) => key === 'queryLog.keepDays');
  expect(days).toMatchObject({
    group: 'history',
    unit: 'days',
    default: 30,
    schema: { type: 'integer', minimum: 1, maximum: 3650 },
  });
  for (const { key, default: value } of described.value.settings) {
    const nested = key
      .split('.')
      .reduceRight<unknown>((inner, field) => ({ [field]: inner }), value);
    expect(settingsFile.safeParse(nested).success, key).toBe(true);
  }
});
