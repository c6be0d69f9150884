/** What a later profile says otherwise, in lines: first what decides who may say it, then the rest. */
import { sayFingerprint } from '../../contract/settings/fingerprint.ts';
import { safe } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: what these lines tell was found without a service.
import type {
  ChangedEntry,
  ChangedFact,
  StatedValue,
} from '../../service/profiles/before-signing/profile-diff.ts';
import { fingerprintOf, readPublicKey } from '../../service/profiles/minisign.ts';
// biome-ignore-end lint/style/noRestrictedImports: what these lines tell was found without a service.
import { isRecord, partChanges } from './value-changes.ts';

export function sayChanges(
  facts: readonly ChangedFact[],
  entries: readonly ChangedEntry[],
): string[] {
  if (facts.length + entries.length === 0) return ['Both say the same.'];
  const marked = facts.filter(({ field }) => warnings[field] !== undefined);
  const others = facts.filter(({ field }) => warnings[field] === undefined);
  return [...[...marked, ...others].flatMap(sayFact), ...entries.flatMap(sayEntry)];
}

/** Of what no other word of a version weighs as much as. */
const warnings: Partial<Record<ChangedFact['field'], (is: unknown) => string>> = {
  id: () => 'another profile: no machine that has the one before takes it',
  nextKey: (is) =>
    is === null
      ? 'the key that was announced signs nothing any more'
      : 'from this version on, whoever has that key decides about every machine',
};

function sayFact({ field, before, after }: ChangedFact): string[] {
  const warning = warnings[field]?.(after);
  const key = field === 'nextKey' && typeof after === 'string' ? readPublicKey(after) : null;
  const end = warning === undefined ? '' : ` (${warning})`;
  return [
    ...sayTexts(warning === undefined ? '  ' : '! ', field, [stated(before), stated(after)], end),
    ...(key === null ? [] : [`    its fingerprint: ${sayFingerprint(fingerprintOf(key))}`]),
  ];
}

function stated(value: unknown): string {
  return value === null ? 'nothing' : JSON.stringify(value);
}

/** A value that is longer is told part by part. */
const longestValue = 120;

function sayEntry({ key, network, before, after, loosens }: ChangedEntry): string[] {
  const name = network === null ? key : `${key} on the network "${network}"`;
  const values = [before?.value, after?.value];
  const isLong = values.some((value) => JSON.stringify(value ?? null).length > longestValue);
  const texts = [before, after].map((one) => sayEntryStated(one, isLong)) as [string, string];
  const mark = loosens ? '! ' : '  ';
  return [
    ...sayTexts(mark, name, texts, loosens ? ' (takes protection away)' : ''),
    ...(isLong ? sayParts(key, values) : []),
  ];
}

/** Value and lock, then all else that the entry has. */
function sayEntryStated(entry: StatedValue | null, isLong: boolean): string {
  if (entry === null) return 'nothing';
  const { value, lock, until, ...rest } = entry;
  const end = until === null ? {} : { until: new Date(until).toISOString() };
  const more = Object.entries({ ...end, ...rest }).flatMap(([name, said]) =>
    said === null ? [] : [`${name} ${JSON.stringify(said)}`],
  );
  return [isLong ? sayLength(value) : JSON.stringify(value), lock, ...more].join(', ');
}

function sayLength(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isRecord(value) ? `${Object.keys(value).length} parts` : JSON.stringify(value);
}

/** Where one of the two says nothing, the other is told whole. */
function sayParts(key: string, [before, after]: unknown[]): string[] {
  const empty = (other: unknown) => (Array.isArray(other) ? [] : {});
  const at = (path: string) => (/^\[|^$/.test(path) ? `${key}${path}` : `${key}.${path}`);
  return partChanges(before ?? empty(after), after ?? empty(before)).flatMap((one) => {
    if (one.kind === 'changed')
      return sayTexts('    ', at(one.path), [
        JSON.stringify(one.before),
        JSON.stringify(one.after),
      ]);
    const sign = { added: '+', removed: '-', moved: '~' }[one.kind];
    const where = one.kind === 'moved' ? `${at(one.path)} → ${at(one.to)}` : at(one.path);
    const text = JSON.stringify(one.value);
    return [`    ${sign} ${safe(where)} ${safe(text)}`, ...spelled([text], '      ')];
  });
}

function sayTexts(mark: string, name: string, texts: [string, string], end = ''): string[] {
  const [was, is] = texts.map(safe);
  const line = `${mark}${safe(name)}: ${was} → ${is}${end}`;
  return [line, ...spelled(texts, `${mark.replace('!', ' ')}  `)];
}

/** Letters of several scripts look alike, and so do one letter and the same in two parts; their numbers do not. */
function spelled(texts: readonly string[], indent: string): string[] {
  const isSame = texts.length > 1 && new Set(texts).size === 1;
  if (isSame || !texts.some((text) => /[^\x20-\x7e]/.test(text))) return [];
  const escaped = texts.map((text) =>
    text.replace(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
  return [`${indent}by the numbers of its letters: ${escaped.join(' → ')}`];
}
