import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Role } from '../../contract/service-api.ts';
import { inOrder } from '../base/in-order.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import { createJournal } from '../logging/journal.ts';
import type { EffectiveSettings } from './load-settings.ts';
import { readCatalogue } from './resolver-catalogue.ts';
import * as settingEdit from './setting-edit.ts';
import { createSettingsEditor } from './settings-editor.ts';
import { createSettingsHandlers } from './settings-handlers.ts';
import { openSettings, type SettingsStore } from './settings-store.ts';

vi.mock('./setting-edit.ts', { spy: true });

let folder: TestFolder;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = join(folder.path, 'settings.json');
});
afterEach(() => folder.remove());

const text = () => readFileSync(file, 'utf8');

function open(
  adopt: (effective: EffectiveSettings) => Promise<Result<null>> = async () => succeed(null),
) {
  const adopted: EffectiveSettings[] = [];
  const lines: string[] = [];
  const health = createHealthRegistry(
    () => 1000,
    () => {},
  );
  const paths = {
    settingsFile: file,
    policyFolder: join(folder.path, 'policy.d'),
    settingsMemoryFile: join(folder.path, 'settings-in-force.json'),
  };
  const { store } = openSettings(paths, readCatalogue(), health) as { store: SettingsStore };
  const editor = createSettingsEditor({
    store,
    settingsFile: file,
    adopt(effective) {
      adopted.push(effective);
      return adopt(effective);
    },
    keep: () => void store.keep(),
    inTurn: inOrder(),
    journal: createJournal({ write: (line) => lines.push(line) }),
  });
  const set = (key: string, value: unknown, more: { ifRevision?: string; role?: Role } = {}) =>
    editor.edit({ key, value: () => succeed(value), role: 'administer', ...more });
  return { editor, store, adopted, set, lines };
}

test('a change is in force, in the file, and nothing else of the file is touched', async () => {
  folder.write('settings.json', '{\n  // mine\n  "cache": { "entries": 7 }\n}\n');
  const { set, store, adopted } = open();
  expect(await set('cache.entries', 9)).toMatchObject({
    value: {
      key: 'cache.entries',
      previous: { set: true, value: 7 },
      setting: { value: 9, source: { layer: 'user' } },
    },
  });
  expect(text()).toBe('{\n  // mine\n  "cache": { "entries": 9 }\n}\n');
  expect(adopted.map(({ values }) => values['cache.entries'])).toEqual([9]);
  expect(store.current().values['cache.entries']).toBe(9);
});

test('without a file one is made, and a value taken away leaves the default', async () => {
  const { set, editor } = open();
  expect(editor.revision()).toBe('none');
  expect(await set('strategy', 'race')).toMatchObject({
    value: { previous: { set: false, value: null } },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await set('strategy', undefined)).toMatchObject({
    value: { previous: { set: true, value: 'race' }, setting: { source: { layer: 'default' } } },
  });
});

test.each([
  ['cache.entries', -1, 'settings-invalid', /cache\.entries: /],
  ['bypass', [{ suffix: 'co.uk', to: ['192.0.2.1'] }], 'settings-invalid', /a public suffix/],
  ['cash', 1, 'unknown-setting', /no setting "cash"/],
  ['__proto__', 1, 'unknown-setting', /no setting/],
])('%s = %j is refused, and nothing is written', async (key, value, code, message) => {
  folder.write('settings.json', '{}');
  const { set, adopted } = open();
  const refused = await set(key, value);
  expect(refused).toMatchObject({ failure: { code, message: expect.stringMatching(message) } });
  expect([text(), adopted]).toEqual(['{}', []]);
});

test('a lock is enforced here, and says whose it is', async () => {
  folder.write('policy.d/10.json', {
    name: 'Example Corp',
    settings: { downgrade: { value: 'refuse', lock: true, reason: 'rule 7' } },
  });
  const { set, lines } = open();
  expect(await set('downgrade', 'fallback')).toMatchObject({
    failure: {
      code: 'setting-locked',
      message: expect.stringMatching(/locked by Example Corp \(.*10\.json\): rule 7/),
    },
  });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      event: 'change-refused',
      setting: 'downgrade',
      because: 'setting-locked',
      role: 'administer',
    },
  ]);
  expect(await set('cache.entries', 5)).toMatchObject({ ok: true });
});

test('a locked setting is refused whatever the value is, before anything is made of it', async () => {
  folder.write('policy.d/10.json', {
    name: 'Example Corp',
    settings: { listen: { value: ['127.0.0.1:53'], lock: true } },
  });
  const { editor } = open();
  let isAsked = false;
  const value = () => {
    isAsked = true;
    return succeed([1, 2, 3]);
  };
  expect(await editor.edit({ key: 'listen', value, role: 'control' })).toMatchObject({
    failure: { code: 'setting-locked' },
  });
  expect(isAsked).toBe(false);
});

test('a value that does not fit is refused before it is written into the text, and its first faults are told', async () => {
  folder.write('settings.json', { rungs: ['tcp', 'udp'] });
  const before = text();
  const { set } = open();
  const edited = vi.mocked(settingEdit.editSetting).mockClear();
  const refused = await set(
    'rungs',
    Array.from({ length: 60_000 }, (_, at) => at),
  );
  const { message } = (refused as Extract<typeof refused, { ok: false }>).failure;
  expect(refused).toMatchObject({ failure: { code: 'settings-invalid', subject: 'rungs[0]' } });
  expect(message.split('\n')).toHaveLength(20);
  expect(edited).not.toHaveBeenCalled();
  expect(text()).toBe(before);
});

test('what takes protection away is an administrator’s to say', async () => {
  const { set } = open();
  expect(await set('downgrade', 'warn', { role: 'control' })).toMatchObject({
    failure: { code: 'forbidden', subject: 'downgrade' },
  });
  expect(await set('cache.entries', 5, { role: 'control' })).toMatchObject({ ok: true });
  expect(await set('downgrade', 'warn')).toMatchObject({ ok: true });
  expect(await set('downgrade', 'refuse', { role: 'control' })).toMatchObject({ ok: true });
});

test('what was written by hand meanwhile is not lost', async () => {
  folder.write('settings.json', '{ "cache": { "entries": 1 } }');
  const byHand = '{ "cache": { "entries": 1 }, "strategy": "race" }';
  const { set, editor, store, adopted } = open(async (effective) => {
    if (effective.values['cache.entries'] === 2) writeFileSync(file, byHand);
    return succeed(null);
  });
  const seen = editor.revision();
  expect(await set('cache.entries', 2)).toMatchObject({ failure: { code: 'settings-changed' } });
  expect(text()).toBe(byHand);
  expect(adopted.at(-1)).toBe(store.current());
  expect(await set('cache.entries', 3, { ifRevision: seen })).toMatchObject({
    failure: { code: 'settings-changed' },
  });
  expect(await set('cache.entries', 3, { ifRevision: editor.revision() })).toMatchObject({
    ok: true,
  });
  expect(JSON.parse(text())).toEqual({ cache: { entries: 3 }, strategy: 'race' });
});

test('what the engine refuses is not written', async () => {
  folder.write('settings.json', '{}');
  const { set } = open(async () => fail('listen-failed', 'taken', 'choose another'));
  expect(await set('listen', ['127.0.0.1:1'])).toMatchObject({
    failure: { code: 'listen-failed' },
  });
  expect(text()).toBe('{}');
});

test('a file with an error is not edited', async () => {
  folder.write('settings.json', '{}');
  const { set } = open();
  folder.write('settings.json', '{ "cache": { "entries": 1 ');
  expect(await set('cache.entries', 2)).toMatchObject({ failure: { code: 'settings-invalid' } });
  expect(text()).toBe('{ "cache": { "entries": 1 ');
});

test('undo brings back the very text, or the value where something else was changed since', async () => {
  const first = '{ "cache": { "entries": 1 /* few */ } }';
  folder.write('settings.json', first);
  const { set, editor } = open();
  await set('cache.entries', 2);
  await set('cache.entries', 3);
  expect(await editor.undo('administer')).toMatchObject({ value: { setting: { value: 2 } } });
  writeFileSync(file, text().replace('{ "cache"', '{ "strategy": "race", "cache"'));
  expect(await editor.undo('administer')).toMatchObject({ value: { setting: { value: 1 } } });
  expect(text()).toContain('"race"');
  expect(await editor.undo('administer')).toMatchObject({ failure: { code: 'nothing-to-undo' } });

  await set('cache.entries', 4);
  writeFileSync(file, text().replace('4', '5'));
  expect(await editor.undo('administer')).toMatchObject({ failure: { code: 'settings-changed' } });
  expect(text()).toContain('5');
});

test('undoing what made things stricter is an administrator’s, too', async () => {
  folder.write('settings.json', '{ "downgrade": "warn" }');
  const { set, editor } = open();
  await set('downgrade', 'refuse', { role: 'control' });
  expect(await editor.undo('control')).toMatchObject({ failure: { code: 'forbidden' } });
  expect(await editor.undo('administer')).toMatchObject({ value: { setting: { value: 'warn' } } });
});

test('a file that is linked to stays where it is, with its permissions', async () => {
  const elsewhere = folder.write('dotfiles/sotto.json', '{}');
  chmodSync(elsewhere, 0o644);
  symlinkSync(elsewhere, file);
  const { set } = open();
  expect(await set('strategy', 'race')).toMatchObject({ ok: true });
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(elsewhere, 'utf8'))).toEqual({ strategy: 'race' });
  expect(statSync(elsewhere).mode & 0o777).toBe(0o644);
});

test('edits at the same time happen one after the other', async () => {
  folder.write('settings.json', '{}');
  const { set } = open(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return succeed(null);
  });
  const all = await Promise.all([
    set('cache.entries', 1),
    set('strategy', 'race'),
    set('queryLog.keepDays', 5),
  ]);
  expect(all.every(({ ok }) => ok)).toBe(true);
  expect(JSON.parse(text())).toEqual({
    cache: { entries: 1 },
    strategy: 'race',
    queryLog: { keepDays: 5 },
  });
});

test('two settings that need each other change in one step, and are undone in one', async () => {
  const before =
    '{\n  // mine\n  "upstreams": [{ "id": "a", "transport": "dot", "address": "192.0.2.1" }, { "id": "b", "transport": "dot", "address": "192.0.2.2" }]\n}\n';
  folder.write('settings.json', before);
  const { editor, set, store } = open();
  const groups = { corp: { names: ['corp.example'] } };
  expect(await set('groups', groups)).toMatchObject({ failure: { code: 'settings-invalid' } });
  const handlers = createSettingsHandlers(editor, store.current);
  const asAdmin = { role: 'administer' } as Parameters<(typeof handlers)['settings.set']>[1];
  const member = (upstream: string) => ({ upstream, group: 'corp' });
  const change = { key: 'groups', value: groups };
  expect(
    await handlers['settings.set']({ ...change, members: [member('gone')] }, asAdmin),
  ).toMatchObject({ failure: { code: 'settings-changed', subject: 'gone' } });
  expect(
    await handlers['settings.set']({ ...change, members: [member('b')] }, asAdmin),
  ).toMatchObject({ ok: true });
  expect(store.current().values.upstreams.map(({ group }) => group)).toEqual([undefined, 'corp']);
  expect(text()).toContain('// mine');

  await set('cache.entries', 9);
  folder.write('settings.json', text().replace('// mine', '// still mine'));
  store.reload();
  await editor.undo('administer');
  expect(await editor.undo('administer')).toMatchObject({ ok: true });
  expect(store.current().values.groups).toEqual({});
  expect(store.current().values.upstreams.map(({ group }) => group)).toEqual([
    undefined,
    undefined,
  ]);
  expect(text()).toContain('// still mine');
});
