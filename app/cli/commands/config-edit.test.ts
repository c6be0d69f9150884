import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { SettingChange } from '../../contract/settings/settings-methods.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';

function someChange(changes: Partial<SettingChange> = {}): SettingChange {
  return {
    key: 'downgrade',
    previous: { set: true, value: 'refuse' },
    setting: {
      key: 'downgrade',
      value: 'warn',
      label: 'Without a private path',
      help: '',
      unit: null,
      source: { layer: 'user', file: 'settings.json' },
      locked: false,
      hidden: false,
      lockedBy: null,
      reason: null,
    },
    revision: 'r2',
    ...changes,
  };
}

test.each([
  ['downgrade', 'warn', 'warn'],
  ['cache.entries', '50000', 50_000],
  ['cache.serveStale', 'true', true],
  ['cache.staleHours', '48', 48],
  ['rungs', '["tcp"]', ['tcp']],
  ['listen', '["127.0.0.1:53"', '["127.0.0.1:53"'],
])('config set %s %s', async (key, text, value) => {
  const asked: unknown[] = [];
  const home = await serve({
    'settings.set': (params) => {
      asked.push(params);
      return succeed(someChange());
    },
  });
  const { code, out } = await runCommand(home, 'config', 'set', key, text);
  expect(asked).toEqual([{ key, value }]);
  expect([code, out]).toEqual([0, 'downgrade is "warn"; settings.json had "refuse".\n']);
});

test('unset and undo say what holds now', async () => {
  const change = someChange({ previous: { set: false, value: null } });
  change.setting.source = { layer: 'default', file: null };
  const home = await serve({
    'settings.reset': () => succeed(change),
    'settings.undo': () => succeed(someChange()),
  });
  expect(await runCommand(home, 'config', 'unset', 'downgrade')).toMatchObject({
    out: 'downgrade is "warn" (default).\n',
  });
  const { out } = await runCommand(home, 'config', 'undo', '--json');
  expect(JSON.parse(out)).toEqual(someChange());
});

test('a lock is told with its owner, an unknown key with those there are', async () => {
  const home = await serve({
    'settings.set': () => fail('setting-locked', '"downgrade" is locked by ACME', 'ask them'),
  });
  expect(await runCommand(home, 'config', 'set', 'downgrade', 'warn')).toMatchObject({
    code: 1,
    errors: 'sotto: "downgrade" is locked by ACME – nothing was changed – ask them\n',
  });
  const twice = '{ "a": { "names": ["x.example"] }, "a": { "names": ["y.example"] } }';
  expect(await runCommand(home, 'config', 'set', 'groups', twice)).toMatchObject({
    code: 2,
    errors: expect.stringContaining('a key is there twice'),
  });
  expect(await runCommand(home, 'config', 'set', 'cash', '1')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('cache.entries'),
  });
});
