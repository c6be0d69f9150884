/** The texts of settings: how the window says them, with the declared help for whoever wants all of it. */
import type { DescribedSetting } from '../../app/contract/settings/settings-methods.ts';
import type { Language } from './catalogue.ts';
import type { SaidSetting } from './en/said-settings.ts';
import { germanFor, saidSettingsIn } from './loaded.ts';

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

export function wordsForSetting(setting: Told, language: Language): SettingWords {
  const { key, label, help, unit } = setting;
  const own = ofSetting(saidSettingsIn(language), key);
  if (own === null) return { label, about: null, help, unit, language: 'en' };
  const helps: Readonly<Record<string, { help: string; unit: string | null }>> =
    germanFor(language)?.declaredSettings ?? {};
  const rest = helps[key];
  return { help, unit, ...rest, label: own.label, about: own.about, language };
}

/** Everything that finds the setting: in the language that is shown, and its name and further words in each of `others`. */
export function wordsThatFind(
  setting: Told,
  language: Language,
  others: readonly SaidSettings[],
): string {
  const { label, about, help, unit } = wordsForSetting(setting, language);
  const said = [saidSettingsIn(language), ...others].flatMap((words) => {
    const own = ofSetting(words, setting.key);
    return own === null ? [] : [own.label, own.about, own.also];
  });
  const all = [setting.key, setting.label, setting.help, label, about ?? '', help, unit ?? ''];
  return [...all, ...said].join('\n').toLowerCase();
}

/** A search finds settings by their words in the other languages, too, which are loaded when it begins. */
export async function saidInOthers(language: Language): Promise<SaidSettings[]> {
  return language === 'en'
    ? [(await import('./de/said-settings.ts')).saidSettings]
    : [(await import('./en/said-settings.ts')).saidSettings];
}

export type SaidSettings = Readonly<Record<string, SaidSetting>>;

function ofSetting(said: SaidSettings, key: string): SaidSetting | null {
  return Object.hasOwn(said, key) ? (said[key] ?? null) : null;
}
