/** The settings that fit the typed words: by name, explanation, identifier, unit or another word for it, in any language. Pure. */
import type { Language } from '../../text/catalogue.ts';
import { type SaidSettings, wordsThatFind } from '../../text/declared-settings.ts';
import type { Setting } from './settings-store.ts';

export function findSettings(
  settings: readonly Setting[],
  typed: string,
  language: Language,
  others: readonly SaidSettings[],
): readonly Setting[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((setting) => {
    const said = wordsThatFind(setting, language, others);
    return wanted.every((word) => said.includes(word));
  });
}
