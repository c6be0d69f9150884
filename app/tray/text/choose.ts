import { de } from './de.ts';
import { en } from './en.ts';
import type { TrayWords } from './words.ts';

/** `locale`: a language tag of the system, such as "de-AT". */
export function wordsFor(locale: string): TrayWords {
  return locale.toLowerCase().split('-')[0] === 'de' ? de : en;
}
