/** The settings as they stand in settings.json: nested where a key has a dot. Derived from their declarations. */
import { z } from 'zod';
import { type FlatSettings, settingDeclarations, settingKeys } from './settings.ts';

/** All values, nested as in settings.json. */
export type Settings = Nested<FlatSettings>;

type Nested<Flat> = {
  [Key in keyof Flat as Key extends `${string}.${string}` ? never : Key]: Flat[Key];
} & {
  [Key in keyof Flat as Key extends `${infer Group}.${string}` ? Group : never]: {
    [Inner in keyof Flat as Key extends `${infer Group}.${string}`
      ? Inner extends `${Group}.${infer Field}`
        ? Field
        : never
      : never]: Flat[Inner];
  };
};

/** The file: every field is optional, and unknown fields are refused. */
export const settingsFile = z.strictObject(optionalFields());

export function nest(flat: FlatSettings): Settings {
  const nested: Record<string, unknown> = {};
  for (const key of settingKeys) {
    const [group, field] = key.split('.') as [string, string?];
    if (field === undefined) nested[group] = flat[key];
    else nested[group] = { ...(nested[group] as object), [field]: flat[key] };
  }
  return nested as Settings;
}

/** JSON Schema of settings.json, for editors and for the manual. */
export function settingsJsonSchema(): object {
  return z.toJSONSchema(settingsFile, { io: 'input' });
}

function optionalFields(): Record<string, z.ZodType> {
  const fields: Record<string, z.ZodType> = {};
  const groups: Record<string, Record<string, z.ZodType>> = {};
  for (const key of settingKeys) {
    const { schema, default: value, label, help } = settingDeclarations[key];
    const described = schema.optional().meta({ title: label, description: help, default: value });
    const [group, field] = key.split('.') as [string, string?];
    if (field === undefined) fields[group] = described;
    else groups[group] = { ...groups[group], [field]: described };
  }
  for (const [group, inner] of Object.entries(groups))
    fields[group] = z.strictObject(inner).optional();
  return fields;
}
