/**
 * One file of policy.d:
 *   { "name": "Example Corp", "settings": { "downgrade": { "value": "refuse", "lock": true, "reason": "…" } } }
 * A bad key is reported and ignored; the others hold. Without "lock" the value is a recommendation, which the user's own
 * settings override.
 */
import { z } from 'zod';
import { type SettingKey, settingDeclarations } from '../../contract/settings.ts';
import { type Path, readIssues } from '../../contract/validation-issues.ts';
import { type Problem, parseSettingsText } from './settings-text.ts';

export interface PolicyEntry {
  key: SettingKey;
  value: unknown;
  lock: boolean;
  reason: string | null;
  problem(within: Path, reason: string): Problem;
}

export interface PolicyFile {
  file: string;
  name: string;
  entries: PolicyEntry[];
}

const policyShape = z.strictObject({
  name: z.string().min(1),
  settings: z.record(z.string(), z.unknown()),
});

const entryShape = z.strictObject({
  value: z.unknown(),
  lock: z.boolean().optional(),
  reason: z.string().optional(),
});

export function readPolicy(
  file: string,
  text: string,
): { policy: PolicyFile | null; problems: Problem[] } {
  const parsed = parseSettingsText(file, text);
  if (parsed.problems.length > 0) return { policy: null, problems: parsed.problems };
  const outer = policyShape.safeParse(parsed.value);
  if (!outer.success) {
    const problems = readIssues(outer.error).map(({ path, reason }) =>
      parsed.problem(path, reason),
    );
    return { policy: null, problems };
  }

  const problems: Problem[] = [];
  const entries: PolicyEntry[] = [];
  for (const [key, raw] of Object.entries(outer.data.settings)) {
    const at: Path = ['settings', key];
    if (!isSettingKey(key)) {
      problems.push(
        parsed.problem(at, 'there is no such setting; keys are written like "cache.entries"'),
      );
      continue;
    }
    const entry = entryShape.safeParse(raw);
    if (!entry.success) {
      problems.push(
        ...readIssues(entry.error).map(({ path, reason }) =>
          parsed.problem([...at, ...path], reason),
        ),
      );
      continue;
    }
    const value = settingDeclarations[key].schema.safeParse(entry.data.value);
    if (!value.success) {
      problems.push(
        ...readIssues(value.error).map(({ path, reason }) =>
          parsed.problem([...at, 'value', ...path], reason),
        ),
      );
      continue;
    }
    entries.push({
      key,
      value: value.data,
      lock: entry.data.lock ?? false,
      reason: entry.data.reason ?? null,
      problem: (within, reason) => parsed.problem([...at, 'value', ...within], reason),
    });
  }
  return { policy: { file, name: outer.data.name, entries }, problems };
}

/** The entries as a text that reads as the same. */
export function policyText({ name, entries }: PolicyFile): string {
  const settings = Object.fromEntries(
    entries.map(({ key, value, lock, reason }) => [
      key,
      { value, lock, ...(reason === null ? {} : { reason }) },
    ]),
  );
  return JSON.stringify({ name, settings });
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingDeclarations, key);
}
