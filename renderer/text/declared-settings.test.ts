import { expect, test } from 'vitest';
import { settingDeclarations, settingKeys } from '../../app/contract/settings/settings.ts';
import { declaredSettings as german } from './de/declared-settings.ts';
import { saidSettings as saidInGerman } from './de/said-settings.ts';
import { wordsForSetting } from './declared-settings.ts';
import { saidSettings as saidInEnglish } from './en/said-settings.ts';
import { loadLanguage } from './loaded.ts';

await loadLanguage('en');
await loadLanguage('de');

test('every setting has words, and no word is of a setting that is gone', () => {
  for (const words of [german, saidInGerman, saidInEnglish])
    expect(Object.keys(words).sort()).toEqual([...settingKeys].sort());
});

test.each(settingKeys)('%s is called and explained in both languages', (key) => {
  const declared = { key, ...settingDeclarations[key] };
  const english = wordsForSetting(declared, 'en');
  const words = wordsForSetting(declared, 'de');
  expect(english).toMatchObject({ help: declared.help, language: 'en' });
  for (const { about } of [english, words]) expect(about).toMatch(/^\p{Lu}[^.]*(?:\.|”[^.]*\.)$/u);
  expect(words.about).not.toBe(english.about);
  expect(words.language).toBe('de');
  expect(words.label.trim()).not.toBe('');
  expect(words.help).not.toBe(english.help);
  expect(words.unit === null).toBe(english.unit === null);
});

test('a setting of a newer service is shown in its own words, marked as English', () => {
  const newer = { key: 'toString', label: 'New', help: 'Of tomorrow.', unit: null };
  expect(wordsForSetting(newer, 'de')).toMatchObject({
    label: 'New',
    about: null,
    language: 'en',
  });
});
