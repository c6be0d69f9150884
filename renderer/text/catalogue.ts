/** The languages of the page, and the choice of one. */
import type { en } from './en.ts';
import type { Translated } from './translated.ts';

export type Text = Translated<typeof en>;
export type PageName = keyof Text['frame']['pages'];
export type Language = keyof typeof languages;

/** Each in its own language. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

/** The first of a person's languages that the page has; English where it has none. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-')[0] ?? '';
    if (isLanguage(language)) return language;
  }
  return 'en';
}

export function isLanguage(word: string | null): word is Language {
  return word !== null && Object.hasOwn(languages, word);
}
