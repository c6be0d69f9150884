/** What settings are called: in English as they are declared, in other languages as said here. */
import type { DescribedSetting } from '../../app/contract/settings/settings-methods.ts';
import type { Language } from './catalogue.ts';
import { declaredSettings as german } from './de/declared-settings.ts';

export interface SettingWords {
  label: string;
  help: string;
  unit: string | null;
  /** the language they are in: a service newer than the page has settings the page has no words for */
  language: Language;
}

type Told = Pick<DescribedSetting, 'key' | 'label' | 'help' | 'unit'>;

export function wordsForSetting(setting: Told, language: Language): SettingWords {
  const { key, label, help, unit } = setting;
  const known: Readonly<Record<string, Omit<SettingWords, 'language'>>> = german;
  const words = language === 'de' && Object.hasOwn(known, key) ? known[key] : undefined;
  return words === undefined ? { label, help, unit, language: 'en' } : { ...words, language: 'de' };
}
