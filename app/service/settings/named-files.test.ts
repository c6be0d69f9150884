/** Files that a setting names: whoever may not name them learns nothing of them, and nobody makes the service wait for one. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { Role } from '../../contract/service-api.ts';
import { inOrder } from '../base/in-order.ts';
import { type TestFolder, testCertificate, testFolder } from '../base/test-folder.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import { createJournal } from '../logging/journal.ts';
import { readCatalogue } from './resolver-catalogue.ts';
import { createSettingsEditor } from './settings-editor.ts';
import { openSettings, type SettingsStore } from './settings-store.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

function open() {
  const [settingsFile, policyFolder] = [
    join(folder.path, 'settings.json'),
    join(folder.path, 'policy.d'),
  ];
  const settingsMemoryFile = join(folder.path, 'in-force.json');
  const health = createHealthRegistry(Date.now, () => {});
  const paths = { settingsFile, policyFolder, settingsMemoryFile };
  const { store } = openSettings(paths, readCatalogue(), health) as { store: SettingsStore };
  const editor = createSettingsEditor({
    store,
    settingsFile,
    adopt: async () => succeed(null),
    keep: () => {},
    inTurn: inOrder(),
    journal: createJournal({ write: () => {} }),
  });
  return (ca: string, role: Role) => {
    const upstream = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test', ca };
    return editor.edit({ key: 'upstreams', value: () => succeed([upstream]), role });
  };
}

function hostileFiles(): string[] {
  const pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  return ['/dev/zero', pipe, folder.path];
}

test('whoever may only control is refused before a file is opened, so it may be any or none', async () => {
  const name = open();
  const files = [...hostileFiles(), folder.write('there.pem', testCertificate), '/no/such/file'];
  const said = await Promise.all(files.map((file) => name(file, 'control')));
  for (const one of said) expect(one).toMatchObject({ failure: { code: 'forbidden' } });
  expect(new Set(said.map((one) => JSON.stringify(one))).size).toBe(1);
});

test('a lock is told before a file is opened', async () => {
  const settings = { upstreams: { value: [], lock: true } };
  folder.write('policy.d/10.json', { name: 'Corp', settings });
  const name = open();
  for (const file of [...hostileFiles(), '/no/such/file'])
    expect(await name(file, 'administer')).toMatchObject({ failure: { code: 'setting-locked' } });
});

test('an administrator is told what is wrong with a file that is no regular one', async () => {
  const name = open();
  for (const file of hostileFiles())
    expect(await name(file, 'administer')).toMatchObject({
      failure: { message: expect.stringMatching(/it is not a regular file|it is a folder/) },
    });
  const there = folder.write('there.pem', testCertificate);
  expect(await name(there, 'administer')).toMatchObject({ ok: true });
});
