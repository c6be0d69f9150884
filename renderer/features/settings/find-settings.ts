/** The settings that fit the typed words: by name, explanation, identifier, unit or another word for it, in either language. Pure. */
import { wordsThatFind } from '../../text/declared-settings.ts';
import type { Setting } from './settings-store.ts';

export function findSettings(settings: readonly Setting[], typed: string): readonly Setting[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((setting) => {
    const said = wordsThatFind(setting);
    return wanted.every((word) => said.includes(word));
  });
}
