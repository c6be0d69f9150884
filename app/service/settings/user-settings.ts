/** settings.json, checked field by field: all its errors, or its values by dotted key. */
import {
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import { settingsFile } from '../../contract/settings/settings-shape.ts';
import { type Path, readIssues } from '../../contract/settings/validation-issues.ts';
import { type Problem, parseSettingsText } from './settings-text.ts';

export interface UserSettings {
  file: string;
  values: Partial<FlatSettings>;
  problem(key: SettingKey, within: Path, reason: string): Problem;
}

/** Whether the text sets nothing: a missing or empty file, "{}" or comments alone. */
export function saysNothing(text: string | null): boolean {
  if (text === null || text.replace(/^\uFEFF/, '').trim() === '') return true;
  const { settings } = readUserSettings('', text);
  return settings !== null && Object.keys(settings.values).length === 0;
}

export function readUserSettings(
  file: string,
  text: string,
): { settings: UserSettings; problems: [] } | { settings: null; problems: Problem[] } {
  const parsed = parseSettingsText(file, text);
  const checked = settingsFile.safeParse(parsed.value);
  const issues = checked.success || parsed.value === undefined ? [] : readIssues(checked.error);
  const problems = [
    ...parsed.problems,
    ...issues.map(({ path, reason }) => parsed.problem(path, reason)),
  ].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  if (problems.length > 0 || !checked.success) return { settings: null, problems };

  const values = Object.fromEntries(
    settingKeys.flatMap((key) => {
      const value = key
        .split('.')
        .reduce<unknown>(
          (object, field) => (object as Record<string, unknown> | undefined)?.[field],
          checked.data,
        );
      return value === undefined ? [] : [[key, value]];
    }),
  ) as Partial<FlatSettings>;
  return {
    settings: {
      file,
      values,
      problem: (key, within, reason) => parsed.problem([...key.split('.'), ...within], reason),
    },
    problems: [],
  };
}
