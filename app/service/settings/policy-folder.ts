/**
 * The files of policy.d: the content of each or, where a file has an error or is gone, its last readable content
 * (docs/design/settings.md).
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sayErrno } from '../base/errno-words.ts';
import { asHeld, type PolicyFile, type PolicyRead, readPolicyFile } from './policy-file.ts';
import type { Problem } from './settings-text.ts';

export interface PoliciesRead {
  /** in the order of their names */
  policies: PolicyFile[];
  problems: Problem[];
  /** files that are gone */
  vanished: string[];
  /** files with a lock that could never be read */
  unread: string[];
  /** the last content of the same policy, even if its file had another name */
  wordsBefore: WordsBefore;
}

export type WordsBefore = (policy: Pick<PolicyFile, 'file' | 'name'>) => PolicyFile | undefined;

/** `place`: the folder, or the files themselves. */
export function readPolicies(
  place: string | readonly string[],
  last: readonly PolicyFile[],
): PoliciesRead {
  const listed = typeof place === 'string' ? listFolder(place) : { files: place };
  if ('problem' in listed) return heldWhole(listed.problem, last);
  const { files } = listed;
  const byFile = (file: string) => last.find((one) => one.file === file);
  const wordsBefore: WordsBefore = ({ file, name }) =>
    byFile(file) ?? last.find((one) => one.name === name && !files.includes(one.file));

  const read = files.map((file) => {
    const now = readPolicyFile(file);
    const before = now.policy === null ? byFile(file) : wordsBefore(now.policy);
    return { file, now, before };
  });
  const there = read.flatMap(({ file, now, before }) => {
    const policy = now.problems.length === 0 ? now.policy : withWordsOf(before, now.policy, file);
    return policy === null ? [] : [policy];
  });
  const isNew = ({ file }: PolicyFile) => byFile(file) === undefined;
  // A file of another name with the same policy name has replaced the old one.
  const gone = last.filter(
    ({ file, name }) =>
      !files.includes(file) && !there.some((one) => isNew(one) && one.name === name),
  );
  return {
    policies: [...there, ...gone.map(heldPolicy)].sort((one, other) =>
      one.file < other.file ? -1 : 1,
    ),
    problems: read.flatMap(({ now }) => now.problems),
    vanished: gone.map(({ file }) => file),
    unread: read.filter(({ now, before }) => hasUnreadLock(now, before)).map(({ file }) => file),
    wordsBefore,
  };
}

function listFolder(folder: string): { files: string[] } | { problem: Problem } {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return { files: names.map((name) => join(folder, name)) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return { files: [] };
    return { problem: { file: folder, path: '', line: null, reason: sayErrno(error) } };
  }
}

/** The folder can't be read, so the files in it are unknown. */
function heldWhole(problem: Problem, last: readonly PolicyFile[]): PoliciesRead {
  return {
    policies: last.map(heldPolicy),
    problems: [problem],
    vanished: [],
    unread: last.length === 0 ? [problem.file] : [],
    wordsBefore: ({ file }) => last.find((one) => one.file === file),
  };
}

/** Completes a file with an error by what it said before. */
function withWordsOf(
  before: PolicyFile | undefined,
  now: PolicyFile | null,
  file: string,
): PolicyFile | null {
  if (before === undefined) return now;
  const entries = now?.entries ?? [];
  const kept = before.entries.filter(({ key }) => !entries.some((one) => one.key === key));
  return {
    layer: 'policy',
    file,
    name: now?.name ?? before.name,
    entries: [...entries, ...kept.map(asHeld)],
  };
}

function heldPolicy(policy: PolicyFile): PolicyFile {
  return { ...policy, entries: policy.entries.map(asHeld) };
}

function hasUnreadLock({ policy, unreadLocks }: PolicyRead, before: PolicyFile | undefined) {
  if (policy === null) return before === undefined;
  return unreadLocks.some((key) => !before?.entries.some((entry) => entry.key === key));
}

/**
 * Adds the stand-in for locks that could never be read: their content is unknown, so nothing leaves in cleartext for want of a
 * private path. A readable lock of another policy overrides it.
 */
export function withStandIn(
  policies: readonly PolicyFile[],
  unread: readonly string[],
): readonly PolicyFile[] {
  const [file] = unread;
  const isLocked = policies.some(({ entries }) =>
    entries.some(({ key, lock }) => key === 'downgrade' && lock),
  );
  if (file === undefined || isLocked) return policies;
  return [
    ...policies,
    {
      layer: 'policy',
      file,
      name: basename(file),
      entries: [
        {
          key: 'downgrade',
          value: 'refuse',
          lock: true,
          hidden: false,
          reason: 'it has an error, and what it locks could never be read; correct or remove it',
          until: null,
          held: false,
          problem: (_within, reason) => ({ file, path: '', line: null, reason }),
        },
      ],
    },
  ];
}
