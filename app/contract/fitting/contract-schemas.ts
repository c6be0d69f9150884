/**
 * The contract's validators as JSON Schema. The build runs this file and ships its result in its place (build/precomputed.ts):
 * the validators themselves would be a seventh of the page's script, and half of the time in which a command starts.
 */
import { z } from 'zod';
import { failure } from '../failure.ts';
import { type MethodName, serviceApi } from '../service-api.ts';
import { upstreamSetting } from '../settings/upstream-settings.ts';
import { networkName } from '../system/network.ts';
import type { Schema } from './mismatch.ts';

const { methods, notifications } = serviceApi;

const asked = z.object({
  results: z.object(
    mapped<{ result: z.ZodType }, z.ZodType>(methods, ({ result }) => result) as Results,
  ),
  notifications: z.object(notifications),
  /** the parameters of a finding's remedy */
  params: z.object({
    'protection.on': methods['protection.on'].params,
    'consent.retry': methods['consent.retry'].params,
    'upstream.test': methods['upstream.test'].params,
    'upstream.retry': methods['upstream.retry'].params,
    'network.set': methods['network.set'].params,
    'coverage.fix': methods['coverage.fix'].params,
    'settings.restore': methods['settings.restore'].params,
    'portal.open': methods['portal.open'].params,
    'system.take': methods['system.take'].params,
    'system.giveBack': methods['system.giveBack'].params,
  }),
  values: z.object({ failure, networkName, upstreams: z.array(upstreamSetting) }),
});

type Results = { [Name in MethodName]: z.ZodType };
type Asked = z.output<typeof asked>;
type ContractSchemas = {
  [Part in keyof Asked]: { [Name in keyof Asked[Part]]: Schema };
} & { shared: Record<string, Schema> };

export const contractSchemas = compute();

function compute(): ContractSchemas {
  const schema = z.toJSONSchema(asked, {
    io: 'output',
    reused: 'ref',
    override: ({ jsonSchema }) => dropWords(jsonSchema),
  }) as Schema;
  const parts = mapped(schema.properties ?? {}, ({ properties }) => properties);
  return { ...parts, shared: schema.$defs } as unknown as ContractSchemas;
}

/** Drops texts for people, and the limits that every whole number has. */
function dropWords(schema: Record<string, unknown>): void {
  for (const word of ['title', 'description', 'examples', 'default', 'format']) delete schema[word];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
}

function mapped<Value, Result>(
  of: Readonly<Record<string, Value>>,
  to: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, to(value)]));
}
