import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type SettingKey,
  settingDeclarations,
  settingKeys,
} from '../../../app/contract/settings/settings.ts';
import type { DescribedSetting } from '../../../app/contract/settings/settings-methods.ts';
import { type Refusal, refusalsOf } from './refusals.ts';
import type { SettingJson } from './setting-control.ts';

/** As `settings.describe` returns the schema. */
function found(key: SettingKey, value: SettingJson): readonly Refusal[] {
  const schema = z.toJSONSchema(settingDeclarations[key].schema as z.ZodType, { io: 'input' });
  return refusalsOf(schema as DescribedSetting['schema'], value, key);
}

test.each(settingKeys)('the default of %s is not refused', (key) => {
  expect(found(key, settingDeclarations[key].default as SettingJson)).toEqual([]);
});

test('an accepted value is not refused', () => {
  const when = {
    user: ['backup', 1001],
    unit: ['a.service'],
    network: ['Office'],
    hours: [{ from: '22:00', to: '06:00' }],
  };
  for (const [key, value] of [
    ['refuseFor', [when]],
    ['groups', { corp: { names: ['corp.example'], rungs: ['tcp'], when } }],
    ['systemResolvers', ['192.0.2.1', '[2001:db8::1]:53']],
  ] as [SettingKey, SettingJson][]) {
    expect(settingDeclarations[key].schema.safeParse(value).success).toBe(true);
    expect(found(key, value)).toEqual([]);
  }
});

test.each<[SettingKey, SettingJson, Partial<Refusal>]>([
  ['listen', ['127.0.0.1'], { kind: 'socket', value: '127.0.0.1' }],
  ['listen', [], { kind: 'missing', field: 'listen' }],
  ['queryLog.keepDays', 0, { kind: 'range', value: '0', least: 1, most: 3650 }],
  ['queryLog.keepDays', 1.5, { kind: 'range', value: '1.5' }],
  ['queryLog.keepDays', 'soon', { kind: 'range', value: 'soon' }],
  ['allowPrivate', ['*.corp'], { kind: 'domain', value: '*.corp' }],
  ['forwardSpecial', ['-'], { kind: 'domain', value: '-' }],
  ['rungs', ['tcp', 'tcp'], { kind: 'twice' }],
  ['groups', { corp: { names: [] } }, { kind: 'missing', field: 'names' }],
  ['groups', { corp: { names: ['a b'] } }, { kind: 'domain', value: 'a b' }],
  ['groups', { '-': { names: ['corp.example'] } }, { kind: 'group', value: '-' }],
  ['groups', { corp: { names: ['a.example'], when: {} } }, { kind: 'condition' }],
  ['refuseFor', [{}], { kind: 'condition' }],
  ['refuseFor', [{ user: ['-x'] }], { kind: 'user', value: '-x' }],
  ['refuseFor', [{ unit: ['backup'] }], { kind: 'unit', value: 'backup' }],
  ['refuseFor', [{ network: [''] }], { kind: 'network', value: '' }],
  ['refuseFor', [{ hours: [{ from: '9', to: '17:00' }] }], { kind: 'time', value: '9' }],
  ['portal.probes', [{ url: 'https://a.example/', text: 'a' }], { kind: 'page' }],
  ['portal.probes', [{ url: 'http://a.example/', text: '' }], { kind: 'pageText' }],
])('%s as %j', (key, value, refusal) => {
  expect(settingDeclarations[key].schema.safeParse(value).success).toBe(false);
  expect(found(key, value)).toEqual([expect.objectContaining(refusal)]);
});

test('addresses of the system are explained in one sentence', () => {
  expect(found('systemResolvers', ['x'])).toEqual([expect.objectContaining({ kind: 'address' })]);
});

test('the page claims no reason where it knows none', () => {
  expect(found('cache.entries', 10)).toEqual([]);
  expect(found('downgrade', 'maybe')).toEqual([]);
  expect(refusalsOf({}, 'x', 'of-a-newer-service')).toEqual([]);
});
