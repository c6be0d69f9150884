/** Which changes of settings are recorded, by whom, and that no name stands there. */
import { expect, test } from 'vitest';
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import { disruptsOthers } from '../settings/disruptive-change.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import type { Cause } from './audit-log.ts';
import { auditedSettings } from './audited-settings.ts';
import { followCalls } from './calls.ts';

function watched() {
  const told: [unknown, Cause | undefined][] = [];
  const audit = { note: (note: unknown, cause?: Cause) => told.push([note, cause]) };
  const calls = followCalls();
  return { told, calls, audited: auditedSettings(audit, calls) };
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
    { account: null, isTrusted: true },
  ]);
});

test('the strict way is recorded of the settings that say who may let names out, and of no others', () => {
  const { told, audited } = watched();
  const strict = { ...defaultSettings, downgrade: 'refuse' as const };
  const loose = { ...defaultSettings, downgrade: 'fallback' as const };
  audited.changed(loose, strict);
  audited.changed(strict, strict);
  for (const [key, [before, after]] of Object.entries(looser))
    if (![loosensProtection, disruptsOthers].some((is) => is(key as SettingKey, after, before)))
      audited.changed(
        { ...defaultSettings, [key]: after } as FlatSettings,
        { ...defaultSettings, [key]: before } as FlatSettings,
      );
  expect(told.map(([note]) => note)).toEqual([
    ['setting-changed', { setting: 'downgrade', value: 'refuse' }],
  ]);
  expect(settingKeys.length).toBeGreaterThan(Object.keys(looser).length);
});

const erasing: Partial<Record<SettingKey, [before: unknown, after: unknown]>> = {
  'queryLog.mode': ['full', 'off'],
  'queryLog.keepDays': [30, 1],
  'audit.connections': [true, false],
  'portal.detect': [true, false],
  'dnstap.socket': ['/run/secret.test', ''],
};

test.each(Object.entries(erasing))(
  'what erases or stops what others rely on is recorded: %s',
  (key, [before, after]) => {
    const { told, audited } = watched();
    audited.changed(
      { ...defaultSettings, [key]: before } as FlatSettings,
      { ...defaultSettings, [key]: after } as FlatSettings,
    );
    const value = key === 'dnstap.socket' ? null : String(after);
    expect(told.map(([note]) => note)).toEqual([['setting-changed', { setting: key, value }]]);
  },
);

test('another order of the rungs has no effect, so it is no change', () => {
  const { told, audited } = watched();
  const [one, other] = [
    { ...defaultSettings, rungs: ['udp', 'tcp'] as FlatSettings['rungs'] },
    { ...defaultSettings, rungs: ['tcp', 'udp'] as FlatSettings['rungs'] },
  ];
  audited.changed(one, other);
  expect(told).toEqual([]);
  audited.changed(other, { ...other, rungs: ['tcp'] });
  expect(told).toHaveLength(1);
});

test('a change belongs to the call that brought it about, also when calls run at the same time', async () => {
  const { told, calls, audited } = watched();
  const loose = { ...defaultSettings, 'systemDns.take': true };
  const change = async (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await null;
    audited.changed(loose, { ...loose, 'systemDns.take': false });
  };
  await Promise.all([
    calls.during({ account: 1001, isWithoutEffect: false }, () => change(3)),
    calls.during({ account: 1002, isWithoutEffect: false }, () => change(1)),
    change(2),
  ]);
  expect(told.map(([, cause]) => cause)).toEqual([
    { account: 1002, isTrusted: false },
    { account: null, isTrusted: true },
    { account: 1001, isTrusted: false },
  ]);
});
