import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type SettingKey,
  settingDeclarations,
  settingKeys,
} from '../../../app/contract/settings/settings.ts';
import type { DescribedSetting } from '../../../app/contract/settings/settings-methods.ts';
import { languages } from '../../text/catalogue.ts';
import { loadLanguage, textIn } from '../../text/loaded.ts';
import { sectionOf } from './sections.ts';
import { controlFor, emptyValue, type SettingControl } from './setting-control.ts';

await loadLanguage('en');
await loadLanguage('de');

/** As `settings.describe` returns it. */
function controlOf(key: SettingKey): SettingControl {
  const schema = z.toJSONSchema(settingDeclarations[key].schema as z.ZodType, { io: 'input' });
  return controlFor(schema as DescribedSetting['schema']);
}

const lines = { is: 'lines', keyword: null, numbers: false, mayBeEmpty: true } as const;
const rungs = ['unauthenticated', 'tcp', 'udp', 'network'];

test.each<[SettingKey, SettingControl]>([
  ['systemDns.take', { is: 'switch' }],
  ['cache.serveStale', { is: 'choice', options: ['false', 'true', 'at-once'] }],
  ['downgrade', { is: 'choice', options: ['refuse', 'warn', 'fallback'] }],
  ['queryLog.keepDays', { is: 'number', least: 1, most: 3650 }],
  ['listen', { ...lines, mayBeEmpty: false }],
  ['allowPrivate', lines],
  ['systemResolvers', { ...lines, keyword: 'auto' }],
  ['rungs', { is: 'words', options: rungs, mayBeEmpty: true }],
])('%s has the control it deserves', (key, control) => {
  expect(controlOf(key)).toEqual(control);
});

test('a group is a form, under a name', () => {
  const control = controlOf('groups');
  if (control.is !== 'map' || control.item.is !== 'form') throw new Error('it is none');
  const fields = new Map(control.item.fields.map((field) => [field.name, field]));
  expect([...fields.keys()]).toEqual([
    'names',
    'downgrade',
    'rungs',
    'strategy',
    'consent',
    'when',
  ]);
  expect(fields.get('names')).toMatchObject({ isRequired: true, control: { is: 'lines' } });
  expect(fields.get('when')).toMatchObject({ isRequired: false, control: { is: 'form' } });
  expect(emptyValue(control.item)).toEqual({ names: [] });
});

test('a condition is a form: accounts may be numbers, and times are a list of forms', () => {
  const control = controlOf('refuseFor');
  if (control.is !== 'list' || control.item.is !== 'form') throw new Error('it is none');
  const fields = new Map(control.item.fields.map((field) => [field.name, field.control]));
  expect(fields.get('user')).toMatchObject({ is: 'lines', numbers: true });
  expect(fields.get('hours')).toMatchObject({
    is: 'list',
    item: { is: 'form', fields: [{ name: 'days' }, { name: 'from' }, { name: 'to' }] },
  });
});

/** Settings without a form here, and why. */
const withoutForm: Partial<Record<SettingKey, string>> = {
  upstreams: 'The page Providers edits them, with a test of each.',
  bypass: 'The page Exceptions edits them, and says what each lets out.',
};

test.each(settingKeys)('%s is edited in a form and not as text', (key) => {
  expect(controlOf(key).is === 'json').toBe(key === 'upstreams');
  if (controlOf(key).is === 'json') expect(withoutForm[key]).toBeDefined();
});

test.each(settingKeys)('%s stands in one section of the page', (key) => {
  const { group } = settingDeclarations[key];
  const section = sectionOf({ key, group });
  const known = [...Object.keys(textIn('en').settings.groups), 'protect', 'queries'];
  expect(known).toContain(section);
});

test.each(Object.keys(languages) as (keyof typeof languages)[])(
  'every choice and field has words in %s',
  (language) => {
    const { words, fields } = textIn(language).settingForms;
    const missing: string[] = [];
    for (const key of settingKeys) {
      if (key in withoutForm) continue;
      walk(controlOf(key), key, (name, control) => {
        const field = name.split('.').at(-1) ?? name;
        if (name !== key && !(name in fields)) missing.push(name);
        if (control.is !== 'choice' && control.is !== 'words') return;
        const known: Record<string, string> =
          (words as Record<string, Record<string, string>>)[field] ?? {};
        missing.push(
          ...control.options
            .filter((option) => !(option in known))
            .map((option) => `${name}: ${option}`),
        );
      });
    }
    expect(missing).toEqual([]);
  },
);

function walk(
  control: SettingControl,
  name: string,
  look: (name: string, control: SettingControl) => void,
): void {
  look(name, control);
  if (control.is === 'list' || control.is === 'map') walk(control.item, name, look);
  if (control.is === 'form')
    for (const field of control.fields) walk(field.control, field.name, look);
}

test('what no form fits is text', () => {
  expect(controlFor({ anyOf: [{ type: 'boolean' }, { type: 'integer' }] })).toEqual({ is: 'json' });
  expect(controlFor({})).toEqual({ is: 'json' });
});
