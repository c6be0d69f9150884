import { expect, test } from 'vitest';
import { settingDeclarations, settingKeys } from '../../app/contract/settings/settings.ts';
import { declaredSettings as german } from './de/declared-settings.ts';
import { wordsForSetting } from './declared-settings.ts';

test('every setting has German words, and no word is of a setting that is gone', () => {
  expect(Object.keys(german).sort()).toEqual([...settingKeys].sort());
});

test.each(settingKeys)('%s is called and explained in both languages', (key) => {
  const declared = { key, ...settingDeclarations[key] };
  const english = wordsForSetting(declared, 'en');
  const words = wordsForSetting(declared, 'de');
  expect(english).toMatchObject({ label: declared.label, help: declared.help, language: 'en' });
  expect(words.language).toBe('de');
  expect(words.label.trim()).not.toBe('');
  expect(words.help).not.toBe(english.help);
  expect(words.unit === null).toBe(english.unit === null);
});

test('a setting of a newer service is shown in its own words, marked as English', () => {
  const newer = { key: 'toString', label: 'New', help: 'Of tomorrow.', unit: null };
  expect(wordsForSetting(newer, 'de')).toMatchObject({ label: 'New', language: 'en' });
});
