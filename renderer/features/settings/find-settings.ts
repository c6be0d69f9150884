/** The settings that fit the typed words: by name, explanation, key or unit. Pure. */
import type { Language } from '../../text/catalogue.ts';
import { wordsForSetting } from '../../text/declared-settings.ts';
import type { Setting } from './settings-store.ts';

export function findSettings(
  settings: readonly Setting[],
  typed: string,
  language: Language,
): readonly Setting[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((setting) => {
    const { label, help, unit } = wordsForSetting(setting, language);
    const said = [setting.key, label, help, unit ?? ''].join('\n').toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}
