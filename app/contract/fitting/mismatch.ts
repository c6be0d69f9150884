/** Whether a value follows a JSON Schema, for the keywords of draft 2020-12 that the contract needs. */

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  items?: Schema;
  prefixItems?: readonly Schema[];
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  propertyNames?: Schema;
  additionalProperties?: Schema | false;
}

/** Schemas to which others refer, by name. */
export type Shared = Readonly<Record<string, Schema>>;

/** The path of the first wrong value, such as "upstreams.0.state", or "" for the whole; null: none is wrong. */
export function mismatch(schema: Schema, value: unknown, shared: Shared): string | null {
  const { $ref } = schema;
  if ($ref !== undefined)
    return mismatch(shared[$ref.slice($ref.lastIndexOf('/') + 1)] ?? nothing, value, shared);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return inBranches(branches, value, shared);
  if (!isOfOneType(schema.type, value) || !isAmong(schema, value)) return '';
  if (Array.isArray(value)) return inItems(schema, value, shared);
  if (typeof value === 'object' && value !== null) return inFields(schema, value, shared);
  return null;
}

function inBranches(branches: readonly Schema[], value: unknown, shared: Shared): string | null {
  return branches.some((branch) => mismatch(branch, value, shared) === null) ? null : '';
}

const nothing: Schema = { anyOf: [] };
const anything: Schema = {};

function isOfOneType(types: Schema['type'], value: unknown): boolean {
  if (types === undefined) return true;
  if (typeof types === 'string') return isOfType[types]?.(value) === true;
  return types.some((type) => isOfType[type]?.(value));
}

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function isAmong(schema: Schema, value: unknown): boolean {
  if ('const' in schema && schema.const !== value) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (typeof value === 'number') return isWithin(schema, value);
  return typeof value !== 'string' || isFitting(schema, value);
}

function isWithin(schema: Schema, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  return value >= minimum && value <= maximum && value > exclusiveMinimum;
}

function isFitting({ minLength = 0, maxLength = Infinity, pattern }: Schema, value: string) {
  const { length } = value;
  if (length < minLength || length > maxLength) return false;
  return pattern === undefined || compiled(pattern).test(value);
}

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
}

function inItems(schema: Schema, items: readonly unknown[], shared: Shared): string | null {
  const { prefixItems = [], minItems = 0, maxItems = Infinity } = schema;
  if (items.length < Math.max(minItems, prefixItems.length) || items.length > maxItems) return '';
  for (const [place, item] of items.entries()) {
    const beyond = prefixItems.length > 0 ? nothing : anything;
    const one = prefixItems[place] ?? schema.items ?? beyond;
    const wrong = mismatch(one, item, shared);
    if (wrong !== null) return below(`${place}`, wrong);
  }
  return null;
}

function inFields(schema: Schema, fields: object, shared: Shared): string | null {
  const { required = [], propertyNames } = schema;
  const missing = required.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return missing;
  for (const name of Object.keys(fields)) {
    if (propertyNames && mismatch(propertyNames, name, shared) !== null) return name;
    const value = (fields as Readonly<Record<string, unknown>>)[name];
    const wrong = mismatch(declared(schema, name), value, shared);
    if (wrong !== null) return below(name, wrong);
  }
  return null;
}

function declared({ properties, additionalProperties = {} }: Schema, name: string): Schema {
  const known = properties !== undefined && Object.hasOwn(properties, name);
  return (known ? properties[name] : additionalProperties) || nothing;
}

function below(place: string, inside: string): string {
  return inside === '' ? place : `${place}.${inside}`;
}
