import { expect, test } from 'vitest';
import type { SettingKey } from '../../../app/contract/settings/settings.ts';
import { type Refusal, refusalsOf } from './refusals.ts';
import type { SettingJson } from './setting-control.ts';

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
  expect(refusalsOf(key, value)).toEqual([expect.objectContaining(refusal)]);
});

test('addresses of the system are explained by the service, in one sentence for both forms', () => {
  expect(refusalsOf('systemResolvers', ['x'])).toEqual([
    expect.objectContaining({ kind: 'address' }),
  ]);
});

test('the page claims no reason where it knows none', () => {
  expect(refusalsOf('cache.entries', 10)).toEqual([]);
  expect(refusalsOf('of-a-newer-service', 'x')).toEqual([]);
  expect(refusalsOf('downgrade', 'maybe')).toEqual([]);
});
