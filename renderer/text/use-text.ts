/** The text and the formats of the language in use. */
import { createContext, use } from 'react';
import type { Language, Text } from './catalogue.ts';
import { createFormats, type Formats } from './formats.ts';
import { textIn } from './loaded.ts';

export interface Words {
  language: Language;
  text: Text;
  formats: Formats;
}

/** `locales`: the person's own, best first; `language`: the one that is shown, which was loaded. */
export function wordsIn(language: Language, locales: readonly string[]): Words {
  const own = locales.find((tag) => tag.toLowerCase().startsWith(language) && isLocale(tag));
  const locale = own ?? language;
  return { language, text: textIn(language), formats: createFormats(locale) };
}

/** A system without a language calls itself "en-US@posix", which is no locale. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

export const WordsContext = createContext<Words | null>(null);

export function useWords(): Words {
  const words = use(WordsContext);
  if (words === null) throw new Error('nothing is said outside WordsContext');
  return words;
}
