/**
 * Why the service refuses a value, as kinds that the page has words for. It judges by the schema that the service describes, and
 * by the same functions as the declaration where a schema can't say it. Pure.
 */
import { asciiOrSame } from '../../../app/contract/dns/ascii-name.ts';
import { isDomainName } from '../../../app/contract/dns/domain-name.ts';
import { isResolverAddress } from '../../../app/contract/dns/resolver-address.ts';
import { parseSocketAddress } from '../../../app/contract/dns/socket-address.ts';
import type { DescribedSetting } from '../../../app/contract/settings/settings-methods.ts';
import { isPlainPage } from '../../../app/contract/system/portal-probe.ts';
import type { Text } from '../../text/catalogue.ts';
import type { SettingJson } from './setting-control.ts';

type Wrong = Text['settingForms']['wrong'];
type Schema = DescribedSetting['schema'];

export interface Refusal {
  kind: keyof Wrong;
  /** as it was typed */
  value: string;
  /** the innermost name on the way to it */
  field: string;
  least: number;
  most: number;
}

/** Empty: the page knows no reason, and the service's own is shown. `field`: at first the setting's identifier. */
export function refusalsOf(schema: Schema, value: SettingJson, field: string): readonly Refusal[] {
  const branches = schemasIn(schema['anyOf']);
  if (branches.length > 0) return refusalsOfUnion(branches, value, field);
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return fitsNumber(schema, value) ? [] : [refusal('range', value, field, schema)];
    case 'array':
      return Array.isArray(value) ? refusalsOfList(schema, value, field) : [];
    case 'object':
      return isObject(value) ? refusalsOfObject(schema, value, field) : [];
    case 'string':
      return refusalsOfText(schema, value, field);
    default:
      return [];
  }
}

interface TextCheck {
  kind: keyof Wrong;
  /** what the schema can't say */
  fits?(text: string): boolean;
}

const domain: TextCheck = { kind: 'domain', fits: (text) => isDomainName(asciiOrSame(text)) };
const textChecks: Readonly<Record<string, TextCheck>> = {
  listen: { kind: 'socket', fits: (text) => parseSocketAddress(text)?.port != null },
  systemResolvers: { kind: 'address', fits: isResolverAddress },
  names: domain,
  allowPrivate: domain,
  forwardSpecial: domain,
  user: { kind: 'user' },
  unit: { kind: 'unit' },
  network: {
    kind: 'network',
    fits: (text) => text === text.trim() && /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text),
  },
  from: { kind: 'time' },
  to: { kind: 'time' },
  url: { kind: 'page', fits: isPlainPage },
  text: { kind: 'pageText' },
};

function refusalsOfText(schema: Schema, value: SettingJson, field: string): readonly Refusal[] {
  const check = Object.hasOwn(textChecks, field) ? textChecks[field] : undefined;
  if (check === undefined || typeof value !== 'string') return [];
  const isRight = fitsText(schema, value) && check.fits?.(value) !== false;
  return isRight ? [] : [refusal(check.kind, value, field)];
}

function refusalsOfList(
  schema: Schema,
  items: readonly SettingJson[],
  field: string,
): readonly Refusal[] {
  if (items.length < limit(schema, 'minItems', 0)) return [refusal('missing', '', field)];
  if (items.length > limit(schema, 'maxItems', Number.POSITIVE_INFINITY))
    return [refusal('many', '', field)];
  if (field === 'rungs' && new Set(items).size < items.length) return [refusal('twice', '', field)];
  const item = schemasIn([schema['items']])[0] ?? {};
  return items.flatMap((one) => refusalsOf(item, one, field));
}

function refusalsOfObject(
  schema: Schema,
  value: Readonly<Record<string, SettingJson>>,
  field: string,
): readonly Refusal[] {
  const isCondition = field === 'refuseFor' || field === 'when';
  if (isCondition && Object.keys(value).length === 0) return [refusal('condition', '', field)];
  const properties = schemasIn([schema['properties']])[0] ?? {};
  const names = schemasIn([schema['propertyNames']])[0];
  const others = schemasIn([schema['additionalProperties']])[0] ?? {};
  return Object.entries(value).flatMap(([name, inner]) => {
    if (names !== undefined && !fitsText(names, name)) return [refusal('group', name, field)];
    const own = schemasIn([properties[name]])[0];
    return own === undefined ? refusalsOf(others, inner, field) : refusalsOf(own, inner, name);
  });
}

/** Judged by the form that was meant: a list, or a text where it may be one. */
function refusalsOfUnion(
  branches: readonly Schema[],
  value: SettingJson,
  field: string,
): readonly Refusal[] {
  if (branches.some((branch) => branch['const'] === value)) return [];
  const meant = Array.isArray(value) ? 'array' : typeof value === 'number' ? 'integer' : 'string';
  const branch = branches.find(({ type }) => type === meant);
  return branch === undefined ? [] : refusalsOf(branch, value, field);
}

function fitsNumber(schema: Schema, value: SettingJson): boolean {
  if (typeof value !== 'number' || (schema['type'] === 'integer' && !Number.isInteger(value)))
    return false;
  return (
    value >= limit(schema, 'minimum', Number.NEGATIVE_INFINITY) &&
    value <= limit(schema, 'maximum', Number.POSITIVE_INFINITY)
  );
}

function fitsText(schema: Schema, text: string): boolean {
  const { pattern } = schema;
  const isLong = text.length > limit(schema, 'maxLength', Number.POSITIVE_INFINITY);
  if (isLong || text.length < limit(schema, 'minLength', 0)) return false;
  return typeof pattern !== 'string' || new RegExp(pattern).test(text);
}

function refusal(kind: keyof Wrong, value: SettingJson, field: string, of: Schema = {}): Refusal {
  return {
    kind,
    field,
    value: typeof value === 'string' ? value : JSON.stringify(value),
    least: limit(of, 'minimum', 0),
    most: limit(of, 'maximum', 0),
  };
}

function limit(schema: Schema, key: string, otherwise: number): number {
  const value = schema[key];
  return typeof value === 'number' ? value : otherwise;
}

function isObject(value: unknown): value is Readonly<Record<string, SettingJson>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasIn(list: unknown): readonly Schema[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
