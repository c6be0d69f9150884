/** Compares the page's checks with the contract's validators, on values generated from the contract. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { type MethodName, type NotificationName, serviceApi } from '../service-api.ts';
import { contractSchemas } from './contract-schemas.ts';
import { misfit } from './misfit.ts';
import type { Schema } from './mismatch.ts';

const methods = Object.keys(serviceApi.methods) as MethodName[];
const told = Object.keys(serviceApi.notifications) as NotificationName[];

test.each(methods)('results of %s are judged as the contract judges them', (name) => {
  agree(contractSchemas.results[name], serviceApi.methods[name].result, (value) =>
    misfit('results', name, value),
  );
});

test.each(told)('notifications %s are judged as the contract judges them', (name) => {
  agree(contractSchemas.notifications[name], serviceApi.notifications[name], (value) =>
    misfit('notifications', name, value),
  );
});

test('the schemas have no word that is not understood', () => {
  const understood = new Set(
    '$ref type const enum anyOf oneOf minimum maximum exclusiveMinimum minLength maxLength pattern items prefixItems minItems maxItems properties required propertyNames additionalProperties'.split(
      ' ',
    ),
  );
  const { shared, ...parts } = contractSchemas;
  const all = [shared, ...Object.values(parts)].flatMap((one) => Object.values(one) as Schema[]);
  expect(all.flatMap(wordsOf).filter((word) => !understood.has(word))).toEqual([]);
});

test('where it does not fit is told', () => {
  const hello = { contract: 1, version: '1', pid: 7, role: 'observe' };
  expect(misfit('results', 'hello', hello)).toBeNull();
  expect(misfit('results', 'hello', { ...hello, role: 'owner' })).toBe('role');
  expect(misfit('results', 'hello', { ...hello, more: 1 })).toBe('more');
  expect(misfit('results', 'consent.list', { consentRequests: [7] })).toBe('consentRequests.0');
  expect(misfit('results', 'hello', null)).toBe('');
});

/** Compares values that fit, and values with one thing changed. */
function agree(schema: Schema, validator: z.ZodType, judge: (value: unknown) => string | null) {
  const values = fitting(schema, 0);
  const changed = fc.tuple(values, fc.infiniteStream(fc.nat()), fc.jsonValue({ maxDepth: 1 }));
  fc.assert(
    fc.property(changed, ([value, choices, other]) => {
      expect(judge(value)).toBeNull();
      expect(fits(validator, value)).toBe(true);
      const damaged = damage(value, choices, other);
      expect({ damaged, fits: judge(damaged) === null }).toEqual({
        damaged,
        fits: fits(validator, damaged),
      });
    }),
    { numRuns: 25 },
  );
}

/** A schema can't express the checks that a validator makes in code. */
function fits(validator: z.ZodType, value: unknown): boolean {
  const { error } = validator.safeParse(value);
  return error === undefined || error.issues.every(isOnTop);
}

function isOnTop(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_union') return issue.errors.some((branch) => branch.every(isOnTop));
  return issue.code === 'custom';
}

/** Values that the schema allows, at most a few levels deep. */
function fitting(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const name = schema.$ref?.split('/').pop();
  if (name !== undefined) return fitting(contractSchemas.shared[name] as Schema, depth + 1);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) {
    const few = depth > 8 ? branches.slice(0, 1) : branches;
    return fc.oneof(...few.map((one) => fitting(one, depth + 1)));
  }
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    const types: readonly string[] = schema.type;
    return fc.oneof(...types.map((type) => fitting({ ...schema, type }, depth)));
  }
  return fittingType(schema, depth);
}

function fittingType(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fittingNumber(schema);
    case 'string':
      return fittingString(schema);
    case 'array':
      return fittingItems(schema, depth);
    case 'object':
      return fittingFields(schema, depth);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function fittingNumber(schema: Schema): fc.Arbitrary<number> {
  const { exclusiveMinimum } = schema;
  const { minimum: min = exclusiveMinimum ?? -1000, maximum: max = min + 2000 } = schema;
  const numbers =
    schema.type === 'integer'
      ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
      : fc.double({ min, max, noNaN: true });
  return numbers.filter((one) => one > (exclusiveMinimum ?? -Infinity));
}

function fittingString({ pattern, minLength = 0, maxLength = 8 }: Schema): fc.Arbitrary<string> {
  return pattern === undefined
    ? fc.string({ minLength, maxLength })
    : fc.stringMatching(new RegExp(pattern));
}

function fittingItems(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.prefixItems !== undefined)
    return fc.tuple(...schema.prefixItems.map((one) => fitting(one, depth + 1)));
  const minLength = schema.minItems ?? 0;
  const maxLength = Math.max(minLength, Math.min(schema.maxItems ?? 2, depth > 8 ? 0 : 2));
  return fc.array(fitting(schema.items ?? {}, depth + 1), { minLength, maxLength });
}

function fittingFields(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { properties, required = [], propertyNames, additionalProperties } = schema;
  if (properties === undefined && additionalProperties && depth <= 8)
    return fc.dictionary(
      fitting(propertyNames ?? { type: 'string' }, depth + 1) as fc.Arbitrary<string>,
      fitting(additionalProperties, depth + 1),
      { maxKeys: 2, noNullPrototype: true },
    );
  const fields = Object.entries(properties ?? {}).map(([name, one]) => [
    name,
    fitting(one, depth + 1),
  ]);
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: required as never[],
    noNullPrototype: true,
  });
}

/** A copy in which one thing is replaced, missing or superfluous; the choices say which. */
function damage(value: unknown, choices: Iterator<number>, other: unknown): unknown {
  const next = (below: number) => choices.next().value % below;
  if (typeof value !== 'object' || value === null || next(4) === 0) return other;
  const copy = structuredClone(value) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys[next(Math.max(1, keys.length))];
  if (Array.isArray(copy)) {
    if (key === undefined) return [other];
    return copy.map((item, place) => (`${place}` === key ? damage(item, choices, other) : item));
  }
  const what = next(3);
  if (key === undefined || what === 0) copy['too-many'] = other;
  else if (what === 1) delete copy[key];
  else copy[key] = damage(copy[key], choices, other);
  return copy;
}

function wordsOf(schema: Schema): string[] {
  const { properties = {}, items, prefixItems = [], anyOf = [], oneOf = [] } = schema;
  const { propertyNames, additionalProperties } = schema;
  const inside = [
    ...Object.values(properties),
    ...prefixItems,
    ...anyOf,
    ...oneOf,
    ...[items, propertyNames, additionalProperties || undefined].filter((one) => one !== undefined),
  ];
  return [...Object.keys(schema), ...inside.flatMap(wordsOf)];
}
