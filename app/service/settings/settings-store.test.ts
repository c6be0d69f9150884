import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestFolder, testCertificate, testFolder } from '../base/test-folder.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import { readCatalogue } from './resolver-catalogue.ts';
import { openSettings, type SettingsStore } from './settings-store.ts';
import { type SettingsWatch, watchSettings } from './settings-watch.ts';

let folder: TestFolder;
let watching: SettingsWatch | undefined;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => {
  watching?.close();
  watching = undefined;
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
    settingsMemoryFile: join(folder.path, 'settings-in-force.json'),
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
      watching?.close();
      watching = watchSettings(paths);
      watching.follow(() => {
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

test.each([
  ['is removed', null],
  ['is emptied', ''],
  ['holds nothing but braces', '{}'],
  ['says nothing within', '{ "cache": {} }'],
  ['holds nothing but a comment', '{ // "cache": { "entries": 7 }\n}'],
])('a settings file that %s goes on holding, also for the next start', (_what, text) => {
  folder.write('settings.json', { cache: { entries: 7 } });
  const { store, health, paths } = open();
  expect(store.keep()).toBeNull();
  if (text === null) rmSync(paths.settingsFile);
  else folder.write('settings.json', text);
  expect(store.reload()?.settings.cache.entries).toBe(7);
  expect(store.vanished()).toEqual([paths.settingsFile]);
  expect(health.list()).toMatchObject([{ code: 'settings-vanished', subject: paths.settingsFile }]);
  const next = open();
  expect(next.store.current().settings.cache.entries).toBe(7);
  expect(next.health.list()).toMatchObject([{ code: 'settings-vanished' }]);
  folder.write('settings.json', { cache: { entries: 8 } });
  expect(next.store.reload()?.settings.cache.entries).toBe(8);
  expect(next.health.list()).toEqual([]);
});

test('where it never said anything, nothing has vanished; what is accepted is over', () => {
  const { store, health, paths } = open();
  store.keep();
  folder.write('settings.json', '{}');
  store.reload();
  expect([store.vanished(), health.list()]).toEqual([[], []]);

  folder.write('settings.json', { cache: { entries: 7 } });
  store.reload();
  rmSync(paths.settingsFile);
  store.reload();
  expect(store.vanished()).toEqual([paths.settingsFile]);
  store.accept();
  expect(store.reload()?.settings.cache.entries).not.toBe(7);
  expect([store.vanished(), store.keep(), open().store.vanished()]).toEqual([[], null, []]);
});

test('a policy that vanishes keeps its locks, one that takes another file does not stand twice', () => {
  const lock = (value: string) => ({
    name: 'Corp',
    settings: { downgrade: { value, lock: true } },
  });
  folder.write('policy.d/10.json', lock('refuse'));
  folder.write('policy.d/20.json', { ...lock('warn'), name: 'Other' });
  const { store, paths } = open();
  store.keep();
  const [first, second] = ['10', '20'].map((name) => join(paths.policyFolder, `${name}.json`));
  const locked = (by = store) => by.current().sources.downgrade;

  renameSync(paths.policyFolder, `${paths.policyFolder}.gone`);
  store.reload();
  expect(store.vanished()).toEqual([first, second]);
  expect(locked()).toMatchObject({ locked: true, lockedBy: 'Corp' });
  expect(locked(open().store)).toMatchObject({ locked: true, lockedBy: 'Corp' });
  renameSync(`${paths.policyFolder}.gone`, paths.policyFolder);

  renameSync(first as string, join(paths.policyFolder, '30.json'));
  store.reload();
  expect(store.vanished()).toEqual([]);
  expect(locked()).toMatchObject({ lockedBy: 'Other' });
  rmSync(second as string);
  store.reload();
  expect(store.vanished()).toEqual([second]);
  expect(locked()).toMatchObject({ lockedBy: 'Other' });
});

describe('certificates of an upstream that vanish go on holding', () => {
  const upstreams = [
    { id: 'ours', transport: 'dot', address: '192.0.2.1', name: 'dns.example', ca: 'ca.pem' },
  ];
  const broken: [string, string | null][] = [
    ['is removed', null],
    ['is emptied', ''],
    ['holds something else', testCertificate.replace(/MI/, 'XX')],
  ];

  test.each(broken)('of a policy, whose file %s', (_what, text) => {
    const value = upstreams.map((one) => ({ ...one, ca: join(folder.path, 'ca.pem') }));
    folder.write('policy.d/10.json', {
      name: 'Corp',
      settings: { upstreams: { value, lock: true } },
    });
    vanishes(text);
  });

  test.each(broken)('of settings.json, whose file %s', (_what, text) => {
    folder.write('settings.json', { upstreams });
    vanishes(text);
  });

  function vanishes(text: string | null): void {
    const file = folder.write('ca.pem', testCertificate);
    const { store, health } = open();
    expect(store.keep()).toBeNull();
    if (text === null) rmSync(file);
    else folder.write('ca.pem', text);
    const holds = (now = store) => {
      expect(now.current().settings.upstreams).toMatchObject([{ id: 'ours', ca: file }]);
      expect(now.current().certificates.get(file)).toBe(testCertificate);
      expect(now.vanished()).toEqual([]);
    };
    expect(store.reload()).not.toBeNull();
    holds();
    const [issue] = health.list();
    expect(issue).toMatchObject({ code: 'certificates-vanished', subject: file });
    expect(issue?.text).toContain('holds no certificate');
    expect(store.keep()).toBeNull();
    const next = open();
    holds(next.store);

    const other = `${testCertificate}${testCertificate}`;
    folder.write('ca.pem', other);
    expect(next.store.reload()?.certificates.get(file)).toContain(testCertificate);
    expect(next.health.list()).toEqual([]);

    rmSync(file);
    next.store.reload();
    next.store.accept();
    next.store.reload();
    expect(next.store.current().certificates.get(file), 'nobody accepts them').toContain(
      testCertificate,
    );
  }
});

test('accepting lets go of what somebody was told of, and of nothing else', () => {
  const certificate = folder.write('corp.pem', testCertificate);
  const lab = folder.write('policy.d/10-lab.json', {
    name: 'Lab',
    settings: { downgrade: { value: 'warn' } },
  });
  const value = [
    {
      id: 'corp',
      transport: 'dot',
      address: '192.0.2.53',
      name: 'dns.corp.example',
      ca: certificate,
    },
  ];
  folder.write('policy.d/20-corp.json', { name: 'Corp', settings: { upstreams: { value } } });
  const { store } = open();
  rmSync(lab);
  store.reload();
  rmSync(certificate);
  expect(store.vanished()).toEqual([lab]);
  expect(store.considerAccepting().effective?.settings).toMatchObject({
    upstreams: [{ id: 'corp' }],
  });
  store.accept();
  expect(store.reload()?.settings).toMatchObject({
    downgrade: 'refuse',
    upstreams: [{ id: 'corp' }],
  });
  expect(store.current().certificates.get(certificate)).toBe(testCertificate);
});

test('a lock whose value becomes wrong stays as it was', () => {
  const policy = (value: string) => ({
    name: 'Corp',
    settings: { downgrade: { value, lock: true }, strategy: { value: 'race', lock: true } },
  });
  folder.write('policy.d/10.json', policy('refuse'));
  const { store, health } = open();
  folder.write('policy.d/10.json', policy('refuze'));
  const now = store.reload();
  expect(now?.sources.downgrade).toMatchObject({ locked: true });
  expect(now?.values).toMatchObject({ downgrade: 'refuse', strategy: 'race' });
  expect(health.list().map(({ code }) => code)).toEqual(['policy-file-invalid']);
});

test('a folder that is moved away, and one in its place, are both noticed', async () => {
  folder.write('config/settings.json', { cache: { entries: 1 } });
  const files = {
    settingsFile: join(folder.path, 'config', 'settings.json'),
    policyFolder: join(folder.path, 'config', 'policy.d'),
  };
  let seen: () => void = () => {};
  const told = () =>
    new Promise<void>((resolve) => {
      seen = resolve;
    });
  watching = watchSettings(files);
  watching.follow(() => seen());
  const gone = told();
  renameSync(join(folder.path, 'config'), join(folder.path, 'elsewhere'));
  await gone;
  const back = told();
  folder.write('config/settings.json', { cache: { entries: 2 } });
  await back;
  const again = told();
  folder.write('config/policy.d/10.json', { name: 'Corp', settings: {} });
  await again;
});
