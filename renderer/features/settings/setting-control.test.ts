import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type SettingKey,
  settingDeclarations,
  settingKeys,
} from '../../../app/contract/settings/settings.ts';
import type { DescribedSetting } from '../../../app/contract/settings/settings-methods.ts';
import { controlFor, readValue, type SettingJson, writeValue } from './setting-control.ts';

/** As `settings.describe` returns it. */
function controlOf(key: SettingKey) {
  const schema = z.toJSONSchema(settingDeclarations[key].schema as z.ZodType, { io: 'input' });
  return controlFor(schema as DescribedSetting['schema']);
}

test.each<[SettingKey, ReturnType<typeof controlFor>]>([
  ['cache.serveStale', { is: 'switch' }],
  ['downgrade', { is: 'choice', options: ['refuse', 'warn', 'fallback'] }],
  ['queryLog.keepDays', { is: 'number', least: 1, most: 3650 }],
  ['listen', { is: 'lines', keyword: null, options: [] }],
  ['rungs', { is: 'lines', keyword: null, options: ['unauthenticated', 'tcp', 'udp', 'network'] }],
  ['systemResolvers', { is: 'lines', keyword: 'auto', options: [] }],
  ['groups', { is: 'json' }],
  ['upstreams', { is: 'json' }],
])('%s has the control it deserves', (key, control) => {
  expect(controlOf(key)).toEqual(control);
});

test.each(settingKeys)('the default of %s is written and read back unchanged', (key) => {
  const control = controlOf(key);
  const value = settingDeclarations[key].default as SettingJson;
  expect(readValue(control, writeValue(control, value))).toEqual(value);
});

test.each<[SettingKey, string, SettingJson]>([
  ['listen', ' 127.0.0.1:53 \n\n[::1]:53', ['127.0.0.1:53', '[::1]:53']],
  ['listen', '', []],
  ['systemResolvers', 'auto', 'auto'],
  ['systemResolvers', 'auto\n192.0.2.1', ['auto', '192.0.2.1']],
  ['queryLog.keepDays', '14', 14],
])('%s typed as %j', (key, typed, value) => {
  expect(readValue(controlOf(key), typed)).toEqual(value);
});

test('nonsense goes to the service as it was typed, and is not guessed at', () => {
  expect(readValue(controlOf('queryLog.keepDays'), '')).toBe('');
  expect(readValue(controlOf('queryLog.keepDays'), 'soon')).toBe('soon');
  expect(readValue(controlOf('groups'), '{')).toBe('{');
});
