/**
 * The JSON Schemas in docs/schema are those that the declarations make, and a validator of others judges by them as we do.
 * SOTTO_WRITE_SCHEMA=1 writes them anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { policyJsonSchema, profileJsonSchema } from './profile.ts';
import { settingKeys } from './settings.ts';

const kinds = {
  profile: {
    make: profileJsonSchema,
    least: { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops', settings: {} },
  },
  policy: { make: policyJsonSchema, least: { name: 'Example Corp', settings: {} } },
};

describe.each(['profile', 'policy'] as const)('the schema of a %s', (kind) => {
  const { make, least } = kinds[kind];
  const file = new URL(`../../../docs/schema/sotto-${kind}.schema.json`, import.meta.url);
  const made = `${JSON.stringify(make(), null, 2)}\n`;
  if (process.env['SOTTO_WRITE_SCHEMA'] === '1') writeFileSync(file, made);
  const written = readFileSync(file, 'utf8');

  test('is in the tree as it is printed', () => {
    expect(written, 'SOTTO_WRITE_SCHEMA=1 npm test -- schema-files').toBe(made);
  });

  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { cidrv4: true, cidrv6: true },
  });
  formats.default(ajv);
  const validate = ajv.compile(JSON.parse(written) as object);

  test.each([
    {},
    { $schema: `/usr/share/sotto/schema/sotto-${kind}.schema.json` },
    {
      settings: {
        downgrade: {
          value: 'refuse',
          lock: 'locked',
          reason: 'why',
          until: '2027-01-31T18:00:00Z',
        },
      },
    },
    {
      settings: {
        upstreams: {
          value: [{ id: 'a', transport: 'dot', address: ['192.0.2.1'], name: 'a.example' }],
        },
      },
    },
    {
      settings: {
        bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }], lock: false },
      },
    },
  ])('takes %j', (more) => {
    expect([validate({ ...least, ...more }), validate.errors]).toEqual([true, null]);
  });

  test.each([
    [{ more: 1 }, 'must NOT have additional properties'],
    [{ name: '' }, 'must NOT have fewer than 1 characters'],
    [{ settings: { downgrad: { value: 'refuse' } } }, 'must NOT have additional properties'],
    [{ settings: { downgrade: { value: 'never' } } }, 'must be equal to one of the allowed values'],
    [{ settings: { downgrade: { lock: 'locked' } } }, "must have required property 'value'"],
    [
      { settings: { downgrade: { value: 'refuse', until: 'soon' } } },
      'must match format "date-time"',
    ],
    [{ settings: { 'cache.entries': { value: -1 } } }, 'must be >= 0'],
  ])('refuses %j', (more, reason) => {
    expect(validate({ ...least, ...more })).toBe(false);
    expect(validate.errors?.map(({ message }) => message)).toContain(reason);
  });

  test('describes every setting', () => {
    const { properties } = (JSON.parse(written) as Schema).properties.settings;
    expect(Object.keys(properties)).toEqual(settingKeys);
    for (const { title, description } of Object.values(properties))
      expect([title, description]).toEqual([expect.any(String), expect.any(String)]);
  });
});

interface Schema {
  properties: {
    settings: { properties: Record<string, { title?: string; description?: string }> };
  };
}
