/** Policy files with errors, step by step: no error loosens what one of them once said. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import { readCatalogue } from './resolver-catalogue.ts';
import { openSettings, type SettingsStore } from './settings-store.ts';

let folder: TestFolder;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = folder.write('policy.d/10.json', '');
  rmSync(file);
});
afterEach(() => folder.remove());

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
  const { store } = openSettings(paths, readCatalogue(), health);
  const told = () =>
    health
      .list()
      .filter(({ code }) => code === 'policy-file-invalid')
      .map(({ text }) => text)
      .join('\n');
  return { store: store as SettingsStore, told, paths };
}

const lockOf = (store: SettingsStore, key: 'downgrade' | 'upstreams' | 'groups' = 'downgrade') => {
  const { values, sources } = store.current();
  return { value: values[key], locked: sources[key].locked, by: sources[key].lockedBy };
};

const corp = (settings: object) => ({ name: 'Corp', settings });
const warn = { downgrade: { value: 'warn', lock: true } };

/** States of a file that are no policy. */
const broken: Record<string, [make: () => void, reason: RegExp]> = {
  'half of one': [
    () => writeFileSync(file, JSON.stringify(corp(warn), null, 2).slice(0, 40)),
    /10\.json, line 4: not valid JSON: /,
  ],
  empty: [() => writeFileSync(file, ''), /10\.json, line 1: the file is empty/],
  'of another shape': [
    () => writeFileSync(file, '{\n"name": "Corp",\n"setings": {} }'),
    /10\.json, line 3: setings: unknown field/,
  ],
  'a folder': [() => mkdirSync(file), /10\.json: it is a folder/],
  'a pipe': [() => execFileSync('mkfifo', [file]), /10\.json: it is not a regular file/],
  'a device': [() => symlinkSync('/dev/zero', file), /10\.json: it is not a regular file/],
  'a circle of links': [() => symlinkSync(file, file), /10\.json: its symbolic links lead in/],
  'a link to nothing': [
    () => symlinkSync('/nothing/there', file),
    /10\.json: there is no such file/,
  ],
  'a hundred megabytes': [
    () => {
      writeFileSync(file, '{');
      truncateSync(file, 100_000_000);
    },
    /10\.json: it is larger than 1048576 octets/,
  ],
  'no UTF-8': [
    () => writeFileSync(file, Buffer.from('{\n"name": "C\xF6rp", "settings": {} }', 'latin1')),
    /10\.json, line 2: it is not UTF-8/,
  ],
  'nested without end': [
    () => writeFileSync(file, `{"name": ${'['.repeat(1_000_000)}`),
    /10\.json: it is nested too deeply/,
  ],
};

describe.each(Object.entries(broken))('a policy that becomes %s', (_what, [make, reason]) => {
  test('holds as it was, also for the next start', () => {
    folder.write('policy.d/10.json', corp(warn));
    const { store } = open();
    store.keep();
    rmSync(file);
    make();
    store.reload();
    expect(lockOf(store)).toEqual({ value: 'warn', locked: true, by: 'Corp' });
    store.keep();
    const next = open();
    expect(lockOf(next.store)).toEqual({ value: 'warn', locked: true, by: 'Corp' });
    expect(next.told()).toMatch(reason);
    expect(next.store.vanished()).toEqual([]);
  });

  test('and was never anything else refuses what could leave in cleartext, until it is put right', () => {
    folder.write('settings.json', { downgrade: 'fallback' });
    make();
    const { store, told } = open();
    expect(lockOf(store)).toEqual({ value: 'refuse', locked: true, by: '10.json' });
    expect(told()).toMatch(reason);
    store.keep();
    expect(lockOf(open().store), 'nothing of that is remembered').toMatchObject({ by: '10.json' });

    rmSync(file, { recursive: true });
    store.reload();
    expect(lockOf(store)).toMatchObject({ value: 'fallback', locked: false });
    expect(told()).toBe('');
  });
});

test('a lock that was never readable is stood in for, a recommendation is not', () => {
  const locked = () => lockOf(open().store);
  folder.write('policy.d/10.json', corp({ downgrade: { value: 'never', lock: true } }));
  expect(locked()).toEqual({ value: 'refuse', locked: true, by: '10.json' });
  folder.write('policy.d/10.json', corp({ 'queryLog.mod': { value: 'off', lock: true } }));
  expect(locked()).toMatchObject({ value: 'refuse', locked: true });
  folder.write('policy.d/10.json', corp({ downgrade: { value: 'refuse', lcok: true } }));
  expect(locked()).toMatchObject({ value: 'refuse', locked: true });
  folder.write('policy.d/10.json', corp({ bypass: { value: [rule('com')], lock: true } }));
  expect(locked()).toMatchObject({ value: 'refuse', locked: true });
  folder.write('policy.d/10.json', corp({ 'cache.entries': { value: -1 } }));
  expect(locked()).toMatchObject({ locked: false });
  folder.write('policy.d/10.json', corp({ ...warn, strategy: { value: 'x', lock: true } }));
  expect(locked(), 'a lock that somebody wrote').toMatchObject({ value: 'warn', by: 'Corp' });
});

test('a file that is renamed and broken in one step goes on holding', () => {
  folder.write('policy.d/10.json', corp({ ...warn, strategy: { value: 'race', lock: true } }));
  const { store, told } = open();
  rmSync(file);
  const wrong = { downgrade: { value: 'wran', lock: true }, strategy: { value: 'ordered' } };
  folder.write('policy.d/20.json', corp(wrong));
  store.reload();
  expect(lockOf(store)).toEqual({ value: 'warn', locked: true, by: 'Corp' });
  expect(store.current().values.strategy).toBe('ordered');
  expect(store.vanished()).toEqual([]);
  expect(told()).toMatch(/20\.json, line 5: settings\.downgrade\.value: "wran"/);
  folder.write('policy.d/20.json', corp({ strategy: { value: 'ordered' } }));
  store.reload();
  expect(lockOf(store)).toMatchObject({ locked: false });
});

test('a folder that can no longer be read leaves its policies, one that never could refuses', () => {
  folder.write('policy.d/10.json', corp(warn));
  const { store, told, paths } = open();
  renameSync(paths.policyFolder, `${paths.policyFolder}.gone`);
  symlinkSync(paths.policyFolder, paths.policyFolder);
  store.reload();
  expect(lockOf(store)).toEqual({ value: 'warn', locked: true, by: 'Corp' });
  expect(told()).toMatch(/policy\.d: its symbolic links lead in a circle/);
  expect(lockOf(open().store)).toEqual({ value: 'refuse', locked: true, by: 'policy.d' });
});

const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' };
const office = { ...dot, id: 'c', address: '192.0.2.3', group: 'office' };
const rule = (suffix: string) => ({ suffix, to: ['192.0.2.9'] });
const locked = (value: unknown) => ({ value, lock: true });
const groups = { office: { names: ['office.example'] } };

describe('entries that do not fit together give way to what was said last', () => {
  const good = { upstreams: locked([dot, office]), groups: locked(groups), ...warn };
  const changes: Record<string, [settings: object, reason: RegExp]> = {
    'a value that is wrong by itself': [
      { ...good, upstreams: locked([dot, dot, office]) },
      /settings\.upstreams\.value\[1\]\.id: another upstream/,
    ],
    'a key that another one needs': [
      { upstreams: locked([dot, office]), ...warn },
      /settings\.upstreams\.value\[1\]\.group: "c" is of the group "office"/,
    ],
    'two that change, of which one is wrong': [
      {
        upstreams: locked([dot, { ...office, group: 'lab' }, dot]),
        groups: locked({ lab: { names: ['lab.example'] } }),
        ...warn,
      },
      /settings\.upstreams\.value\[2\]\.id: another upstream/,
    ],
    'a certificate that is not there': [
      { ...good, upstreams: locked([{ ...dot, ca: '/nothing.pem' }, office]) },
      /settings\.upstreams\.value\[0\]\.ca: can't read \/nothing\.pem/,
    ],
  };

  test.each(Object.entries(changes))('%s', (_what, [settings, reason]) => {
    folder.write('policy.d/10.json', corp(good));
    const { store } = open();
    store.keep();
    folder.write('policy.d/10.json', corp(settings));
    for (const now of [store, open().store]) {
      now.reload();
      expect(lockOf(now)).toEqual({ value: 'warn', locked: true, by: 'Corp' });
      expect(lockOf(now, 'upstreams')).toMatchObject({ value: [dot, office], locked: true });
      expect(lockOf(now, 'groups')).toMatchObject({ value: groups, locked: true });
      now.keep();
    }
    const { told } = open();
    expect(told()).toMatch(reason);
    expect(
      told().match(/10\.json, line \d+: /g),
      'what comes of giving way is no error',
    ).toHaveLength(1);
  });

  test('what another file brings in lifts no lock', () => {
    folder.write('policy.d/10.json', corp({ groups: locked(groups), ...warn }));
    folder.write('policy.d/20.json', {
      name: 'Lab',
      settings: { upstreams: locked([dot, office]) },
    });
    const { store, told } = open();
    const other = { name: 'New', settings: { upstreams: locked([dot]) } };
    folder.write('policy.d/05.json', other);
    store.reload();
    expect(lockOf(store, 'groups')).toMatchObject({ value: groups, locked: true });
    expect(lockOf(store, 'upstreams')).toMatchObject({ value: [dot, office], locked: true });
    expect(told()).toMatch(/settings\.groups\.value\.office: no upstream is of the group "office"/);
  });
});

test('of a file full of errors some are told, and soon', () => {
  const keys = Array.from({ length: 40_000 }, (_, index) => [`key${index}`, { value: 1 }]);
  for (const text of [
    JSON.stringify(corp(Object.fromEntries(keys))),
    `{"name": "Corp", "settings": {${'"a": 1,'.repeat(100_000)}"b": 2}}`,
    `[${'1 '.repeat(300_000)}]`,
  ]) {
    writeFileSync(file, text);
    const { told } = open();
    expect(told().match(/line 1: /g)).toHaveLength(20);
  }
});

test('an error in settings.json takes no error of a policy away', () => {
  folder.write('policy.d/10.json', corp(warn));
  folder.write('policy.d/20.json', { name: 'Other', settings: warn });
  const { store, told } = open();
  expect(told()).toMatch(/20\.json, line \d+: .* this lock by Other is not in force/);
  folder.write('settings.json', '{');
  expect(store.reload()).toBeNull();
  expect(told()).toMatch(/this lock by Other is not in force/);
});

test('an error in settings.json keeps no lock out of force', () => {
  folder.write('settings.json', { downgrade: 'fallback', strategy: 'race' });
  const { store } = open();
  folder.write('settings.json', '{');
  expect(store.reload(), 'nothing is new').toBeNull();
  folder.write('policy.d/10.json', corp(warn));
  expect(store.reload()?.values).toMatchObject({ downgrade: 'warn', strategy: 'race' });
  expect(lockOf(store)).toEqual({ value: 'warn', locked: true, by: 'Corp' });
  store.keep();
  folder.write('settings.json', { strategy: 'spread' });
  expect(store.reload()?.values).toMatchObject({ downgrade: 'warn', strategy: 'spread' });
});
