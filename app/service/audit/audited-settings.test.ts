/** Which changes of settings are recorded, by whom, and that no name stands there. */
import { expect, test } from 'vitest';
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import type { Cause } from './audit-log.ts';
import { auditedSettings } from './audited-settings.ts';

function watched() {
  const told: [unknown, number | null | undefined][] = [];
  const audit = { note: (note: unknown, cause?: Cause) => told.push([note, cause?.account]) };
  return { told, audited: auditedSettings(audit) };
}

const looser: Partial<Record<SettingKey, [before: unknown, after: unknown]>> = {
  listen: [['127.0.0.1:53'], ['192.0.2.1:53']],
  bypass: [[], [{ suffix: 'secret.test', to: ['192.0.2.1'] }]],
  forwardSpecial: [[], ['secret.test']],
  'systemDns.take': [true, false],
  'systemDns.close': ['always', 'never'],
  'queryLog.mode': ['off', 'full'],
  'audit.connections': [false, true],
  'dnstap.socket': ['', '/run/secret.test'],
};

test('each setting that loosens is recorded by its key, and none of its values holds a name', () => {
  const { told, audited } = watched();
  for (const [key, [before, after]] of Object.entries(looser))
    audited.changed(
      { ...defaultSettings, [key]: before } as FlatSettings,
      { ...defaultSettings, [key]: after } as FlatSettings,
    );
  const keys = told.map(([note]) => (note as [string, { setting: string }])[1].setting);
  expect(keys).toEqual(Object.keys(looser));
  expect(JSON.stringify(told)).not.toContain('secret.test');
  expect(told).toContainEqual([
    ['setting-changed', { setting: 'systemDns.take', value: 'false' }],
    null,
  ]);
});

test('the strict way is recorded of the settings that say who may let names out, and of no others', () => {
  const { told, audited } = watched();
  const strict = { ...defaultSettings, downgrade: 'refuse' as const };
  const loose = { ...defaultSettings, downgrade: 'fallback' as const };
  audited.changed(loose, strict);
  audited.changed(strict, strict);
  for (const [key, [before, after]] of Object.entries(looser))
    if (!loosensProtection(key as SettingKey, after, before))
      audited.changed(
        { ...defaultSettings, [key]: after } as FlatSettings,
        { ...defaultSettings, [key]: before } as FlatSettings,
      );
  expect(told).toEqual([[['setting-changed', { setting: 'downgrade', value: 'refuse' }], null]]);
  expect(settingKeys.length).toBeGreaterThan(Object.keys(looser).length);
});

test('a change belongs to the call that brought it about, also when calls run at the same time', async () => {
  const { told, audited } = watched();
  const loose = { ...defaultSettings, 'systemDns.take': true };
  const change = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await null;
    audited.changed(loose, { ...loose, 'systemDns.take': false });
  };
  await Promise.all([
    audited.during(1001, () => change(3)),
    audited.during(1002, () => change(1)),
    change(2),
  ]);
  expect(told.map(([, account]) => account)).toEqual([1002, null, 1001]);
});
