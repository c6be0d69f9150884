/** The texts of settings: in English as they are declared, in other languages from here. */
import type { DescribedSetting } from '../../app/contract/settings/settings-methods.ts';
import type { Language } from './catalogue.ts';
import { declaredSettings as german } from './de/declared-settings.ts';

export interface SettingWords {
  label: string;
  help: string;
  unit: string | null;
  /** their language: a newer service has settings for which the page has no text */
  language: Language;
}

type Told = Pick<DescribedSetting, 'key' | 'label' | 'help' | 'unit'>;

export function wordsForSetting(setting: Told, language: Language): SettingWords {
  const { key, label, help, unit } = setting;
  const known: Readonly<Record<string, Omit<SettingWords, 'language'>>> = german;
  const words = language === 'de' && Object.hasOwn(known, key) ? known[key] : undefined;
  return words === undefined ? { label, help, unit, language: 'en' } : { ...words, language: 'de' };
}
