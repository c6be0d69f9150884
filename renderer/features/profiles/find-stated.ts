/** The settings that fit what was typed: by their words in any language, and by who decided them, and why. Pure. */
import type { Language } from '../../text/catalogue.ts';
import { type SaidSettings, wordsThatFind } from '../../text/declared-settings.ts';
import type { AllDeclared } from './declared.ts';
import type { Stated } from './use-profile.ts';

interface Known {
  declared: AllDeclared;
  language: Language;
  others: readonly SaidSettings[];
}

export function findStated(
  stated: Stated,
  typed: string,
  { declared, language, others }: Known,
): Stated {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return stated.filter(({ key, layers }) => {
    const setting = declared.get(key);
    const said = setting === undefined ? key : wordsThatFind(setting, language, others);
    const decided = layers.map(({ name, reason }) => `${name ?? ''}\n${reason ?? ''}`);
    const all = [said, ...decided].join('\n').toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}
