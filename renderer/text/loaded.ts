/** The languages that were loaded: each is a script of its own, so that nobody loads one that they do not read. */
import type { Language, Text } from './catalogue.ts';
import type { SaidSetting } from './en/said-settings.ts';
import type { german } from './german.ts';

export type German = typeof german;

interface OfLanguage {
  text: Text;
  saidSettings: Readonly<Record<string, SaidSetting>>;
}

const texts = new Map<Language, OfLanguage>();
let loadedGerman: German | null = null;

/** Rejects where the script can't be had. */
export async function loadLanguage(language: Language): Promise<void> {
  if (texts.has(language)) return;
  if (language === 'en') {
    texts.set('en', (await import('./english.ts')).english);
    return;
  }
  loadedGerman = (await import('./german.ts')).german;
  texts.set('de', loadedGerman);
}

export function textIn(language: Language): Text {
  return inLanguage(language).text;
}

export function saidSettingsIn(language: Language): OfLanguage['saidSettings'] {
  return inLanguage(language).saidSettings;
}

function inLanguage(language: Language): OfLanguage {
  const found = texts.get(language);
  if (found === undefined) throw new Error(`${language} is shown before it was loaded`);
  return found;
}

/** What the contract says in English is said in German from here; null: the reader wants English. */
export function germanFor(language: Language): German | null {
  return language === 'de' ? loadedGerman : null;
}
