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

export function sayChanges(
  facts: readonly ChangedFact[],
  entries: readonly ChangedEntry[],
): string[] {
  if (facts.length + entries.length === 0) return ['Both say the same.'];
  const marked = facts.filter(({ field }) => warnings[field] !== undefined);
  const others = facts.filter(({ field }) => warnings[field] === undefined);
  return [...[...marked, ...others].flatMap(sayFact), ...entries.map(sayEntry)];
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
  const line = `${safe(field)}: ${sayStated(before)} → ${sayStated(after)}`;
  if (warning === undefined) return [`  ${line}`];
  const key = field === 'nextKey' && typeof after === 'string' ? readPublicKey(after) : null;
  return [
    `! ${line} (${warning})`,
    ...(key === null ? [] : [`    its fingerprint: ${sayFingerprint(fingerprintOf(key))}`]),
  ];
}

function sayStated(value: unknown): string {
  return value === null ? 'nothing' : safe(JSON.stringify(value));
}

function sayEntry({ key, network, before, after, loosens }: ChangedEntry): string {
  const name = network === null ? key : `${key} on the network "${network}"`;
  const mark = loosens ? '! ' : '  ';
  return `${mark}${safe(name)}: ${sayEntryStated(before)} → ${sayEntryStated(after)}${loosens ? ' (takes protection away)' : ''}`;
}

/** Value and lock, then all else that the entry has. */
function sayEntryStated(stated: StatedValue | null): string {
  if (stated === null) return 'nothing';
  const { value, lock, until, ...rest } = stated;
  const end = until === null ? {} : { until: new Date(until).toISOString() };
  const more = Object.entries({ ...end, ...rest }).flatMap(([name, said]) =>
    said === null ? [] : [`${name} ${JSON.stringify(said)}`],
  );
  return safe([JSON.stringify(value), lock, ...more].join(', '));
}
