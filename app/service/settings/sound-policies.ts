/**
 * Policies whose entries fit together, whatever the user's settings are, so that no user value can remove a lock. A new entry
 * that does not fit gives way to the last one that did. Pure, except for the check that it is given.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Path } from '../../contract/settings/validation-issues.ts';
import { asHeld, type PolicyEntry, type PolicyFile } from './policy-file.ts';
import type { WordsBefore } from './policy-folder.ts';
import type { Problem } from './settings-text.ts';

export interface Unsound {
  entry: PolicyEntry;
  within: Path;
  reason: string;
}

interface SoundPolicies {
  policies: readonly PolicyFile[];
  problems: Problem[];
  /** files with a lock that does not fit, and did not before */
  unread: string[];
}

export function soundPolicies(
  given: readonly PolicyFile[],
  wordsBefore: WordsBefore,
  findUnsound: (policies: readonly PolicyFile[]) => readonly Unsound[],
): SoundPolicies {
  const problems: Problem[] = [];
  const unread: string[] = [];
  let policies = given;
  let isAllBefore = false;

  // Each round leaves fewer new entries, or fewer entries, so this ends.
  for (;;) {
    const unsound = findUnsound(policies);
    if (unsound.length === 0) return { policies, problems, unread };
    const isFirst = policies === given;
    const blamed = new Set(unsound.map(({ entry }) => entry));
    if (isFirst) problems.push(...[...blamed].flatMap((entry) => tell(unsound, entry)));
    const newOnes = newAmong(blamed, policies, wordsBefore);
    const changed = withoutNews(policies, blamed, newOnes, isAllBefore, wordsBefore);
    isAllBefore ||= newOnes.size === 0;
    policies = changed.policies;
    unread.push(...changed.dropped.filter(({ entry }) => entry.lock).map(({ file }) => file));
    // The first round reports what is wrong in the files; later rounds only see the effects of giving way.
    if (!isFirst) problems.push(...changed.dropped.flatMap(({ entry }) => tell(unsound, entry)));
  }
}

interface Changed {
  policies: PolicyFile[];
  /** entries without any replacement */
  dropped: { file: string; entry: PolicyEntry }[];
}

/** An entry that is blamed but not new fitted before: another new entry conflicts with it, or one that it needs is missing. */
function withoutNews(
  policies: readonly PolicyFile[],
  blamed: ReadonlySet<PolicyEntry>,
  newOnes: ReadonlySet<PolicyEntry>,
  isAllBefore: boolean,
  wordsBefore: WordsBefore,
): Changed {
  if (newOnes.size > 0) return givingWay(policies, newOnes, wordsBefore);
  return isAllBefore ? givingWay(policies, blamed, wordsBefore) : asBefore(policies, wordsBefore);
}

/** Replaces these by their last content, or by nothing. */
function givingWay(
  policies: readonly PolicyFile[],
  entries: ReadonlySet<PolicyEntry>,
  wordsBefore: WordsBefore,
): Changed {
  const dropped: Changed['dropped'] = [];
  const instead = (entry: PolicyEntry, policy: PolicyFile) => {
    const last = lastWord(entry, wordsBefore(policy));
    if (last !== undefined && !isSame(last, entry)) return [asHeld(last)];
    dropped.push({ file: policy.file, entry });
    return [];
  };
  const changed = policies.map((policy) => ({
    ...policy,
    entries: policy.entries.flatMap((entry) =>
      entries.has(entry) ? instead(entry, policy) : [entry],
    ),
  }));
  return { policies: changed, dropped };
}

/** Only the last contents. */
function asBefore(policies: readonly PolicyFile[], wordsBefore: WordsBefore): Changed {
  const changed = policies.map((policy) => ({
    ...policy,
    entries: (wordsBefore(policy)?.entries ?? []).map(asHeld),
  }));
  const dropped = policies.flatMap((policy) =>
    wordsBefore(policy) === undefined
      ? policy.entries.map((entry) => ({ file: policy.file, entry }))
      : [],
  );
  return { policies: changed, dropped };
}

function newAmong(
  entries: ReadonlySet<PolicyEntry>,
  policies: readonly PolicyFile[],
  wordsBefore: WordsBefore,
): Set<PolicyEntry> {
  const newOnes = policies.flatMap((policy) => {
    const before = wordsBefore(policy);
    return policy.entries.filter((entry) => entries.has(entry) && isNew(entry, before));
  });
  return new Set(newOnes);
}

function isNew(entry: PolicyEntry, before: PolicyFile | undefined): boolean {
  const last = lastWord(entry, before);
  return last === undefined || !isSame(last, entry);
}

function lastWord({ key }: PolicyEntry, before: PolicyFile | undefined): PolicyEntry | undefined {
  return before?.entries.find((one) => one.key === key);
}

function isSame(one: PolicyEntry, other: PolicyEntry): boolean {
  return one.lock === other.lock && isDeepStrictEqual(one.value, other.value);
}

function tell(unsound: readonly Unsound[], wanted: PolicyEntry): Problem[] {
  return unsound
    .filter(({ entry }) => entry === wanted)
    .map(({ entry, within, reason }) => entry.problem(within, reason));
}
