/** Which control a setting gets, from the JSON Schema of its value. Pure. */
import type {
  DescribedSetting,
  EffectiveSetting,
} from '../../../app/contract/settings/settings-methods.ts';

export type SettingJson = EffectiveSetting['value'];

export type SettingControl =
  | { is: 'switch' }
  | { is: 'choice'; options: readonly string[] }
  | { is: 'number'; least: number | null; most: number | null }
  | { is: 'text' }
  /** one item a line; `keyword`: a word that stands for the whole list; `numbers`: digits are a number */
  | { is: 'lines'; keyword: string | null; numbers: boolean; mayBeEmpty: boolean }
  /** some of these words, in the order in which they were chosen */
  | { is: 'words'; options: readonly string[]; mayBeEmpty: boolean }
  | { is: 'list'; item: SettingControl }
  /** entries under names of the person's choice */
  | { is: 'map'; item: SettingControl }
  | { is: 'form'; fields: readonly FormField[] }
  /** no form fits: the value is edited as text */
  | { is: 'json' };

export type ControlKind<Is extends SettingControl['is']> = Extract<SettingControl, { is: Is }>;

export interface FormField {
  name: string;
  isRequired: boolean;
  control: SettingControl;
}

type Schema = DescribedSetting['schema'];

export function controlFor(schema: Schema): SettingControl {
  if (wordsOf(schema).length > 0) return { is: 'choice', options: wordsOf(schema) };
  switch (schema['type']) {
    case 'boolean':
      return { is: 'switch' };
    case 'integer':
    case 'number':
      return {
        is: 'number',
        least: numberIn(schema, 'minimum'),
        most: numberIn(schema, 'maximum'),
      };
    case 'string':
      return { is: 'text' };
    case 'array':
      return controlForList(schema);
    case 'object':
      return controlForObject(schema);
    default:
      return controlForUnion(asSchemas(schema['anyOf']));
  }
}

/** What a person adds before anything is filled in. */
export function emptyValue(control: SettingControl): SettingJson {
  switch (control.is) {
    case 'switch':
      return false;
    case 'choice':
      return control.options[0] ?? '';
    case 'number':
      return control.least ?? 0;
    case 'text':
      return '';
    case 'lines':
    case 'words':
    case 'list':
      return [];
    case 'map':
      return {};
    case 'form':
      return Object.fromEntries(
        control.fields
          .filter(({ isRequired }) => isRequired)
          .map(({ name, control: inner }) => [name, emptyValue(inner)]),
      );
    case 'json':
      return null;
  }
}

function controlForList(schema: Schema): SettingControl {
  const items = itemsOf(schema);
  const mayBeEmpty = (numberIn(schema, 'minItems') ?? 0) === 0;
  if (wordsOf(items).length > 0) return { is: 'words', options: wordsOf(items), mayBeEmpty };
  const numbers = asSchemas(items['anyOf']).some(({ type }) => type === 'integer');
  if (isText(items)) return { is: 'lines', keyword: null, numbers, mayBeEmpty };
  const item = controlFor(items);
  return item.is === 'json' ? item : { is: 'list', item };
}

function controlForObject(schema: Schema): SettingControl {
  const more = asSchemas([schema['additionalProperties']])[0];
  if (more !== undefined) {
    const item = controlFor(more);
    return item.is === 'json' ? item : { is: 'map', item };
  }
  const properties = asSchemas([schema['properties']])[0] ?? {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(properties).map(([name, inner]) => ({
    name,
    isRequired: required.includes(name),
    control: controlFor(asSchemas([inner])[0] ?? {}),
  }));
  return fields.some(({ control }) => control.is === 'json')
    ? { is: 'json' }
    : { is: 'form', fields };
}

/** "auto" or a list of texts. */
function controlForUnion(branches: readonly Schema[]): SettingControl {
  const keyword = branches.find((branch) => typeof branch['const'] === 'string')?.['const'];
  const list = branches.find(({ type }) => type === 'array');
  if (branches.length !== 2 || list === undefined || typeof keyword !== 'string')
    return { is: 'json' };
  const control = controlFor(list);
  return control.is === 'lines' ? { ...control, keyword } : { is: 'json' };
}

function isText(schema: Schema): boolean {
  const branches = asSchemas(schema['anyOf']);
  return (
    schema['type'] === 'string' ||
    (branches.length > 0 && branches.every(({ type }) => type === 'string' || type === 'integer'))
  );
}

function itemsOf(schema: Schema): Schema {
  return asSchemas([schema['items']])[0] ?? {};
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
