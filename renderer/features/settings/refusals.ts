/** Why the service refuses a value, as kinds that the page has words for: the declaration that it judges by is this page's, too. Pure. */
import type { z } from 'zod';
import { type SettingKey, settingDeclarations } from '../../../app/contract/settings/settings.ts';
import type { Text } from '../../text/catalogue.ts';
import type { SettingJson } from './setting-control.ts';

type Wrong = Text['settingForms']['wrong'];

export interface Refusal {
  kind: keyof Wrong;
  /** as it was typed */
  value: string;
  /** the innermost name on the way to it */
  field: string;
  least: number;
  most: number;
}

/** Empty: the page knows no reason, and the service's own is shown. */
export function refusalsOf(key: string, value: SettingJson): readonly Refusal[] {
  if (!Object.hasOwn(settingDeclarations, key)) return [];
  const schema: z.ZodType = settingDeclarations[key as SettingKey].schema;
  const read = schema.safeParse(value);
  if (read.success) return [];
  const refusals = read.error.issues.map((issue) => refusalOf(issue, key, value, schema));
  return refusals.every((one) => one !== null) ? refusals : [];
}

function refusalOf(
  issue: z.core.$ZodIssue,
  key: string,
  whole: SettingJson,
  schema: z.ZodType,
): Refusal | null {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  const field = path.findLast((step) => typeof step === 'string') ?? key;
  const kind = issue.code === 'invalid_key' ? 'group' : kindOf(issue, field, path);
  if (kind === null) return null;
  const value = issue.code === 'invalid_key' ? field : at(whole, path);
  return {
    kind,
    field,
    value: typeof value === 'string' ? value : write(value),
    ...limits(schema),
  };
}

const kinds: Readonly<Record<string, keyof Wrong>> = {
  listen: 'socket',
  systemResolvers: 'address',
  names: 'domain',
  allowPrivate: 'domain',
  forwardSpecial: 'domain',
  user: 'user',
  unit: 'unit',
  network: 'network',
  from: 'time',
  to: 'time',
  url: 'page',
  text: 'pageText',
  rungs: 'twice',
  refuseFor: 'condition',
  when: 'condition',
};

function kindOf(
  issue: z.core.$ZodIssue,
  field: string,
  path: readonly (string | number)[],
): keyof Wrong | null {
  const isOfList = 'origin' in issue && issue.origin === 'array';
  if (issue.code === 'too_small' && isOfList) return 'missing';
  if (issue.code === 'too_big' && isOfList) return 'many';
  if (path.length === 0 && isAboutNumber(issue)) return 'range';
  return kinds[field] ?? null;
}

function isAboutNumber(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_type') return issue.expected === 'number' || issue.expected === 'int';
  return 'origin' in issue && (issue.origin === 'number' || issue.origin === 'int');
}

function limits(schema: z.ZodType): { least: number; most: number } {
  const { minValue = 0, maxValue = 0 } = schema as { minValue?: number; maxValue?: number };
  return { least: minValue, most: maxValue };
}

function at(value: SettingJson, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, step) => (part as Record<string | number, unknown> | undefined)?.[step],
    value,
  );
}

function write(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
