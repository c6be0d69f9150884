/** Settings through the whole service: from the file to the engine, and to clients. */
import { renameSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { dot, ServiceStage } from '../service-stage.ts';

let stage: ServiceStage;

beforeEach(() => {
  stage = new ServiceStage();
});
afterEach(() => stage.close());

test('settings are applied live; broken ones leave the old in force and say so', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  await stage.start();
  const service = await stage.client();
  const until = (wanted: (status: ServiceStatus) => boolean) =>
    expect
      .poll(async () => {
        const status = await service.call('status.get', {});
        return status.ok && wanted(status.value);
      })
      .toBe(true);

  renameSync(
    stage.folder.write('new.json', { upstreams: [{ ...dot, id: 'b' }] }),
    stage.file('settings.json'),
  );
  await until(({ upstreams }) => upstreams[0]?.id === 'b');

  stage.folder.write('settings.json', { upstreams: [{ ...dot, transport: 'doh' }] });
  await until(({ health }) =>
    health.some(
      ({ code, text }) => code === 'settings-invalid' && text.includes('upstreams[0].transport'),
    ),
  );
  expect(stage.addon.applied.at(-1)?.upstreams).toMatchObject([{ id: 'b' }]);

  stage.folder.write('settings.json', { upstreams: [dot] });
  await until(({ health, upstreams }) => health.length === 0 && upstreams[0]?.id === 'a');
});

test('settings that change while the service starts are read once it runs', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  stage.addon.onApply = () => {
    stage.addon.onApply = () => {};
    stage.folder.write('settings.json', { upstreams: [{ ...dot, id: 'b' }] });
  };
  await stage.start();
  await expect.poll(() => stage.addon.applied.at(-1)?.upstreams).toMatchObject([{ id: 'b' }]);
});

test('settings the engine refuses are told like any other error', async () => {
  await stage.start();
  stage.addon.onApply = () => {
    throw new Error(
      JSON.stringify({
        code: 'listen-failed',
        path: 'listen[0]',
        message: 'the address is in use',
        remedy: 'stop the other program',
      }),
    );
  };
  stage.folder.write('settings.json', { upstreams: [dot] });
  const service = await stage.client();
  await expect
    .poll(async () => service.call('status.get', {}))
    .toMatchObject({
      value: { health: [{ code: 'listen-failed' }], upstreams: [{ id: 'quad9' }] },
    });
});

test('every setting is explained with its source and lock', async () => {
  stage.folder.write('settings.json', { cache: { entries: 7 } });
  stage.folder.write('policy.d/10.json', {
    name: 'Corp',
    settings: { 'queryLog.mode': { value: 'counts', lock: true, reason: 'the law' } },
  });
  await stage.start();
  const effective = await (await stage.client()).call('settings.effective', {});
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

test('a change through the service is adopted once, though the watcher sees the written file, too', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  const running = await stage.start();
  const service = await stage.client();
  const adoptions = () => stage.lines.filter((line) => line.includes('settings in force')).length;
  const before = adoptions();
  const set = await service.call('settings.set', { key: 'cache.entries', value: 7 });
  expect([set.ok, adoptions() - before]).toEqual([true, 1]);
  // What the watcher does when it sees the file.
  await running.reload();
  expect(adoptions() - before).toBe(1);
  stage.folder.write('settings.json', { upstreams: [dot], cache: { entries: 8 } });
  await running.reload();
  expect(adoptions() - before).toBe(2);
});

test('settings that go back to what is in force end the complaint about those that were refused', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  const running = await stage.start();
  stage.addon.onApply = () => {
    throw new Error(JSON.stringify({ code: 'listen-failed', path: '', message: '', remedy: '' }));
  };
  const complaints = () => running.status().health.map(({ code }) => code);
  stage.folder.write('settings.json', { upstreams: [dot], cache: { entries: 8 } });
  await running.reload();
  expect(complaints()).toEqual(['listen-failed']);
  stage.folder.write('settings.json', { upstreams: [dot] });
  await running.reload();
  expect(complaints()).toEqual([]);
});
