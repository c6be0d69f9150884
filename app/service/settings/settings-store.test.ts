import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHealthRegistry } from '../health/health-registry.ts';
import { readCatalogue } from './resolver-catalogue.ts';
import { openSettings, type SettingsStore } from './settings-store.ts';
import { watchSettings } from './settings-watch.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

let folder: TestFolder;
let stop: (() => void) | undefined;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => {
  stop?.();
  stop = undefined;
  folder.remove();
});

function open() {
  const health = createHealthRegistry(
    () => 1000,
    () => {},
  );
  const paths = {
    settingsFile: join(folder.path, 'settings.json'),
    policyFolder: join(folder.path, 'policy.d'),
  };
  const { store, problems } = openSettings(paths, readCatalogue(), health);
  return { health, paths, store: store as SettingsStore, problems };
}

test('broken settings leave the old ones in force, raise an issue and clear it when corrected', () => {
  folder.write('settings.json', { cache: { entries: 1 } });
  const { store, health } = open();

  folder.write('settings.json', { cache: { entries: -1 } });
  expect(store.reload()).toBeNull();
  expect(store.current().settings.cache.entries).toBe(1);
  expect(health.list()).toMatchObject([{ code: 'settings-invalid', severity: 'error' }]);
  expect(health.list()[0]?.text).toMatch(/settings\.json, line \d: cache\.entries: /);

  folder.write('settings.json', { cache: { entries: 2 } });
  expect(store.reload()?.settings.cache.entries).toBe(2);
  expect(store.current().settings.cache.entries).toBe(2);
  expect(health.list()).toEqual([]);
});

test('with broken settings at the start there is no store, but the problems', () => {
  folder.write('settings.json', '{');
  expect(open()).toMatchObject({ store: null, problems: [{ line: 1 }] });
});

test('a file written in place, renamed over, or a policy that appears is noticed', async () => {
  const { store, paths } = open();
  const reached = (entries: number) =>
    new Promise<void>((resolve) => {
      stop?.();
      stop = watchSettings(paths, () => {
        store.reload();
        if (store.current().settings.cache.entries === entries) resolve();
      });
    });

  const written = reached(1);
  folder.write('settings.json', { cache: { entries: 1 } });
  await written;

  const renamed = reached(2);
  renameSync(folder.write('settings.json.new', { cache: { entries: 2 } }), paths.settingsFile);
  await renamed;

  const last = reached(40);
  for (let entries = 3; entries <= 40; entries++)
    folder.write('settings.json', { cache: { entries } });
  await last;

  const locked = reached(41);
  folder.write('policy.d/10.json', {
    name: 'Corp',
    settings: { 'cache.entries': { value: 41, lock: true } },
  });
  await locked;

  const changed = reached(42);
  folder.write('policy.d/10.json', {
    name: 'Corp',
    settings: { 'cache.entries': { value: 42, lock: true } },
  });
  await changed;
});
