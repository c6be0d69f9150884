/** Settings as the service declares them, by which values and names are said. Pure. */
import type { DescribedSetting } from '../../../app/contract/settings/settings-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { wordsForSetting } from '../../text/declared-settings.ts';
import type { Words } from '../../text/use-text.ts';
import { controlFor, type SettingJson } from '../settings/setting-control.ts';
import { sayValue } from '../settings/setting-words.ts';

export type Declared = DescribedSetting;
export type AllDeclared = ReadonlyMap<string, Declared>;

/** Harmless to show. */
export function nameOfSetting(key: string, declared: AllDeclared, { language }: Words): string {
  const setting = declared.get(key);
  return safe(setting === undefined ? key : wordsForSetting(setting, language).label);
}

/** With its unit; of a list how many it has. Harmless to show. */
export function sayInLine(setting: Declared | undefined, value: SettingJson, words: Words): string {
  if (setting === undefined) return safe(JSON.stringify(value));
  const said = sayValue(controlFor(setting.schema), setting.key, value, words);
  const { unit } = wordsForSetting(setting, words.language);
  return unit === null || typeof value !== 'number' ? said : `${said} ${safe(unit)}`;
}
