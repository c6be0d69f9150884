/** Which control a setting gets, from the JSON Schema of its value, and how it shows the value. Pure. */
import type {
  DescribedSetting,
  EffectiveSetting,
} from '../../../app/contract/settings/settings-methods.ts';

export type SettingJson = EffectiveSetting['value'];

export type SettingControl =
  | { is: 'switch' }
  | { is: 'choice'; options: readonly string[] }
  | { is: 'number'; least: number | null; most: number | null }
  /** one item a line; `keyword`: a word that stands for the whole list */
  | { is: 'lines'; keyword: string | null; options: readonly string[] }
  /** no better control is known */
  | { is: 'json' };

type Schema = DescribedSetting['schema'];

export function controlFor(schema: Schema): SettingControl {
  const words = wordsOf(schema);
  if (schema['type'] === 'boolean') return { is: 'switch' };
  if (words.length > 0) return { is: 'choice', options: words };
  if (schema['type'] === 'integer' || schema['type'] === 'number')
    return { is: 'number', least: numberIn(schema, 'minimum'), most: numberIn(schema, 'maximum') };
  if (isListOfWords(schema))
    return { is: 'lines', keyword: null, options: wordsOf(itemsOf(schema)) };
  const branches = asSchemas(schema['anyOf']);
  const keyword = branches.find((branch) => typeof branch['const'] === 'string')?.['const'];
  if (branches.length === 2 && branches.some(isListOfWords) && typeof keyword === 'string')
    return { is: 'lines', keyword, options: [] };
  return { is: 'json' };
}

/** The control's text before a person types. */
export function writeValue(control: SettingControl, value: SettingJson): string {
  if (control.is === 'json') return JSON.stringify(value, null, 2);
  return Array.isArray(value) ? value.map(String).join('\n') : String(value);
}

/** The typed text as a value for the service to judge: text that makes no sense here is passed on as it is. */
export function readValue(control: SettingControl, typed: string): SettingJson {
  switch (control.is) {
    case 'switch':
      return typed === 'true';
    case 'choice':
      return typed;
    case 'number': {
      const number = Number(typed);
      return typed.trim() === '' || Number.isNaN(number) ? typed : number;
    }
    case 'lines': {
      const lines = typed
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
      return lines.length === 1 && lines[0] === control.keyword ? control.keyword : lines;
    }
    case 'json':
      return readJson(typed);
  }
}

function readJson(typed: string): SettingJson {
  try {
    return JSON.parse(typed) as SettingJson;
  } catch {
    return typed;
  }
}

function isListOfWords(schema: Schema): boolean {
  return schema['type'] === 'array' && itemsOf(schema)['type'] === 'string';
}

function itemsOf(schema: Schema): Schema {
  return asSchemas([schema['items'] ?? {}])[0] ?? {};
}

function wordsOf(schema: Schema): readonly string[] {
  const words = schema['enum'];
  return Array.isArray(words) ? words.map(String) : [];
}

function numberIn(schema: Schema, key: string): number | null {
  const limit = schema[key];
  return typeof limit === 'number' ? limit : null;
}

function asSchemas(list: unknown): readonly Schema[] {
  if (!Array.isArray(list)) return [];
  return list.filter((one): one is Schema => typeof one === 'object' && one !== null);
}
