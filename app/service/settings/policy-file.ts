/**
 * One file of policy.d:
 *   { "name": "Example Corp", "settings": { "downgrade": { "value": "refuse", "lock": true, "reason": "…" } } }
 * A key with an error is told, and the others are read. Without "lock", or with "default", the value is a recommendation, which
 * the user's own settings override; "locked" is the same as true, and with "hidden" the window draws no control either. After its
 * "until" an entry says nothing.
 */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { arePlainRules } from '../../contract/settings/bypass-rule.ts';
import { entryEnd, locks, policyFacts } from '../../contract/settings/profile.ts';
import { type SettingKey, settingDeclarations } from '../../contract/settings/settings.ts';
import { type Path, readIssues } from '../../contract/settings/validation-issues.ts';
import { readBounded } from '../base/bounded-file.ts';
import { mostProblems, type ParsedText, type Problem, parseSettingsText } from './settings-text.ts';

export interface PolicyEntry {
  key: SettingKey;
  value: unknown;
  lock: boolean;
  /** locked, and the window draws no control for it */
  hidden: boolean;
  reason: string | null;
  /** unix milliseconds from which on it says nothing any more; null: it holds on */
  until: number | null;
  /** the file's last readable content, not its present one */
  held: boolean;
  problem(within: Path, reason: string): Problem;
}

export interface PolicyFile {
  /** of whom: the machine's administrator, or an organisation by a signed profile */
  layer: 'policy' | 'profile';
  file: string;
  name: string;
  entries: PolicyEntry[];
}

export interface PolicyRead {
  /** null: nothing in the file can be read */
  policy: PolicyFile | null;
  problems: Problem[];
  /** keys that may be locked, whose entries can't be read */
  unreadLocks: string[];
}

/** Of one entry; what compares entries, compares all of it. */
export const entryShape = z.strictObject({
  value: z.unknown(),
  lock: z.union([z.boolean(), z.enum(locks)]).optional(),
  reason: z.string().optional(),
  until: entryEnd.optional(),
});

const recommendationShape = entryShape.extend({
  lock: z.union([z.literal(false), z.literal('default')]).optional(),
});

/** A larger file is no policy, and all work would wait while it is read. */
const mostOctets = 1_048_576;

export function readPolicyFile(file: string): PolicyRead {
  const read = readWhole(file);
  if ('text' in read) return readPolicy(file, read.text);
  const problem = { file, path: '', line: null, ...read };
  return { policy: null, problems: [problem], unreadLocks: [] };
}

export function readPolicy(file: string, text: string): PolicyRead {
  const parsed = parseSettingsText(file, text, '{ "name": "…", "settings": {} }');
  const nothing = (problems: Problem[]) => ({ policy: null, problems, unreadLocks: [] });
  if (parsed.problems.length > 0) return nothing(parsed.problems);
  const outer = policyFacts.safeParse(parsed.value);
  if (!outer.success) return nothing(sayIssues(outer.error, parsed, []));

  const { name, settings } = outer.data;
  const { entries, problems, unreadLocks } = readEntries(settings, parsed);
  const faults = { problems, unreadLocks };
  return { policy: { layer: 'policy', file, name, entries }, ...faults };
}

interface EntriesRead extends Pick<PolicyRead, 'problems' | 'unreadLocks'> {
  entries: PolicyEntry[];
  /** keys whose entries can't be read, locked or not */
  unread: string[];
}

/** Those of a field "settings", which is at `path`. */
export function readEntries(
  settings: Readonly<Record<string, unknown>>,
  parsed: ParsedText,
  path: Path = ['settings'],
): EntriesRead {
  const read: EntriesRead = { entries: [], problems: [], unreadLocks: [], unread: [] };
  for (const [key, raw] of Object.entries(settings)) {
    const one = readEntry(key, raw, { parsed, at: [...path, key] });
    if ('entry' in one) {
      read.entries.push(one.entry);
      continue;
    }
    read.unread.push(key);
    if (read.problems.length < mostProblems) read.problems.push(...one.problems());
    if (!recommendationShape.safeParse(raw).success) read.unreadLocks.push(key);
  }
  return read;
}

function readEntry(
  key: string,
  raw: unknown,
  { parsed, at }: { parsed: ParsedText; at: Path },
): { entry: PolicyEntry } | { problems(): Problem[] } {
  if (!isSettingKey(key)) {
    const reason = 'there is no such setting; keys are written like "cache.entries"';
    return { problems: () => [parsed.problem(at, reason)] };
  }
  const entry = entryShape.safeParse(raw);
  if (!entry.success) return { problems: () => sayIssues(entry.error, parsed, at) };
  const value =
    key === 'bypass' && arePlainRules(entry.data.value)
      ? { success: true as const, data: entry.data.value }
      : settingDeclarations[key].schema.safeParse(entry.data.value);
  if (!value.success) return { problems: () => sayIssues(value.error, parsed, [...at, 'value']) };
  const { lock = false, until } = entry.data;
  return {
    entry: {
      key,
      value: value.data,
      lock: lock !== false && lock !== 'default',
      hidden: lock === 'hidden',
      reason: entry.data.reason ?? null,
      until: until === undefined ? null : Date.parse(until),
      held: false,
      problem: (within, reason) => parsed.problem([...at, 'value', ...within], reason),
    },
  };
}

export function sayIssues(error: z.ZodError, parsed: ParsedText, at: Path): Problem[] {
  const issues = readIssues(error).slice(0, mostProblems);
  return issues.map(({ path, reason }) => parsed.problem([...at, ...path], reason));
}

export function lockOf({ lock, hidden }: PolicyEntry): 'locked' | 'hidden' | 'default' {
  if (hidden) return 'hidden';
  return lock ? 'locked' : 'default';
}

/** The entry as the file's last readable content, which has no line in the file any more. */
export function asHeld(entry: PolicyEntry): PolicyEntry {
  const problem = (within: Path, reason: string) => ({
    ...entry.problem(within, reason),
    line: null,
  });
  return { ...entry, held: true, problem };
}

/** Those that have not ended. */
export function holdingAt(time: number): (entry: PolicyEntry) => boolean {
  return ({ until }) => until === null || time < until;
}

/** The entries as a text that reads back as the same. */
export function policyText({ name, entries }: PolicyFile): string {
  const settings = Object.fromEntries(
    entries.map(({ key, value, lock, hidden, reason, until }) => [
      key,
      {
        value,
        lock: hidden ? 'hidden' : lock,
        ...(reason === null ? {} : { reason }),
        ...(until === null ? {} : { until: new Date(until).toISOString() }),
      },
    ]),
  );
  return JSON.stringify({ name, settings });
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingDeclarations, key);
}

function readWhole(file: string): { text: string } | { reason: string; line?: number } {
  const read = readBounded(file, mostOctets);
  return 'reason' in read ? read : asText(read.octets);
}

export function asText(octets: Buffer): { text: string } | { reason: string; line: number } {
  if (isUtf8(octets)) return { text: octets.toString('utf8') };
  const lines = octets.toString('latin1').split('\n');
  const wrong = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  return { reason: 'it is not UTF-8; save it again as UTF-8', line: wrong + 1 };
}
