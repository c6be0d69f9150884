/** Choices and values in words of the language. Pure. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Words } from '../../text/use-text.ts';
import { controlFor, type SettingControl, type SettingJson } from './setting-control.ts';
import type { Setting } from './settings-store.ts';

/** `name`: of the field, or the setting's identifier, whose last part is meant. A newer service has words that the page does not know. */
export function wordFor(name: string, option: string, { text }: Pick<Words, 'text'>): string {
  const choices: Readonly<Record<string, Readonly<Record<string, string>>>> =
    text.settingForms.words;
  const field = name.split('.').at(-1) ?? name;
  const known = Object.hasOwn(choices, field) ? choices[field] : undefined;
  return known !== undefined && Object.hasOwn(known, option)
    ? (known[option] ?? safe(option))
    : safe(option);
}

export function fieldWords(
  name: string,
  { text }: Pick<Words, 'text'>,
): { label: string; hint: string | null } {
  const fields: Readonly<Record<string, { label: string; hint: string }>> =
    text.settingForms.fields;
  const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return known ?? { label: safe(name), hint: null };
}

export function itemWords(
  name: string,
  { text }: Pick<Words, 'text'>,
): { one: string; add: string; none: string } {
  const items: Readonly<Record<string, { one: string; add: string; none: string }>> =
    text.settingForms.items;
  const last = name.split('.').at(-1) ?? name;
  const known = Object.hasOwn(items, last) ? items[last] : undefined;
  return known ?? text.settingForms.other;
}

/** What is in force. */
export function sayPresent(setting: Setting, words: Pick<Words, 'text' | 'formats'>): string {
  return sayValue(controlFor(setting.schema), setting.key, setting.value, words);
}

export function sayDefault(setting: Setting, words: Pick<Words, 'text' | 'formats'>): string {
  return sayValue(controlFor(setting.schema), setting.key, setting.default, words);
}

/** Harmless to show. */
export function sayValue(
  control: SettingControl,
  name: string,
  value: SettingJson,
  words: Pick<Words, 'text' | 'formats'>,
): string {
  const { text } = words;
  if (isWord(control, value)) return wordFor(name, String(value), words);
  if (typeof value === 'boolean') return value ? text.settings.on : text.settings.off;
  if (typeof value === 'number') return words.formats.count(value);
  const size = value === null ? 0 : Object.keys(value).length;
  if (size === 0) return text.settings.empty;
  if (Array.isArray(value) && (control.is === 'lines' || control.is === 'words'))
    return value.map((item) => wordFor(name, String(item), words)).join(', ');
  return text.settings.entries(words.formats.count(size), size === 1);
}

/** A choice may have the two values of a switch beside its words. */
function isWord(control: SettingControl, value: SettingJson): boolean {
  return control.is === 'choice' || typeof value === 'string';
}
