/** The texts of settings: how the window says them, with the declared help for whoever wants all of it. */
import type { DescribedSetting } from '../../app/contract/settings/settings-methods.ts';
import type { Language } from './catalogue.ts';
import { declaredSettings as germanHelp } from './de/declared-settings.ts';
import { saidSettings as german } from './de/said-settings.ts';
import { saidSettings as english, type SaidSetting } from './en/said-settings.ts';

export interface SettingWords {
  label: string;
  /** one sentence; null: the help is all there is */
  about: string | null;
  /** all of it, with the words of the file */
  help: string;
  unit: string | null;
  /** their language: a newer service has settings for which the page has no text */
  language: Language;
}

type Told = Pick<DescribedSetting, 'key' | 'label' | 'help' | 'unit'>;

const said: Record<Language, Readonly<Record<string, SaidSetting>>> = { en: english, de: german };

export function wordsForSetting(setting: Told, language: Language): SettingWords {
  const { key, label, help, unit } = setting;
  const own = saidIn(key, language);
  if (own === null) return { label, about: null, help, unit, language: 'en' };
  const helps: Readonly<Record<string, { help: string; unit: string | null }>> = germanHelp;
  const rest = language === 'de' ? helps[key] : undefined;
  return { help, unit, ...rest, label: own.label, about: own.about, language };
}

/** Everything that finds the setting, in every language. */
export function wordsThatFind(setting: Told): string {
  const languages: readonly Language[] = ['en', 'de'];
  const all = languages.flatMap((language) => {
    const { label, about, help, unit } = wordsForSetting(setting, language);
    return [label, about ?? '', help, unit ?? '', saidIn(setting.key, language)?.also ?? ''];
  });
  return [setting.key, setting.label, ...all].join('\n').toLowerCase();
}

function saidIn(key: string, language: Language): SaidSetting | null {
  return Object.hasOwn(said[language], key) ? (said[language][key] ?? null) : null;
}
