/**
 * A condition in a line of text: a word for each item, such as "user=backup" or "hours=mon,tue@22:00-06:00". What stands behind
 * the sign is written as in a URL, because names of networks hold blanks. Pure.
 */
import { type Condition, hoursText, readHours } from '../../contract/settings/condition.ts';

export function conditionWords({ user, unit, network, hours }: Condition): string[] {
  const words = (key: string, items: readonly (string | number)[] = []) =>
    items.map((item) => `${key}=${escaped(String(item))}`);
  return [
    ...words('user', user),
    ...words('unit', unit),
    ...words('network', network),
    ...words(
      'hours',
      hours?.map((window) => hoursText(window).replace(' ', '@')),
    ),
  ];
}

export function isConditionWord(word: string): boolean {
  return /^(?:user|unit|network|hours)=/.test(word);
}

/**
 * Null: there is no word. What can't be read stays as it is, under its own key, so that the check of the rule names it.
 */
export function readConditionWords(words: readonly string[]): object | null {
  const found: Record<string, unknown[]> = {};
  for (const word of words) {
    const key = word.slice(0, word.indexOf('='));
    const text = unescaped(word.slice(key.length + 1));
    found[key] = [...(found[key] ?? []), readItem(key, text)];
  }
  return words.length === 0 ? null : found;
}

function readItem(key: string, text: string): unknown {
  if (key === 'user' && /^(?:0|[1-9]\d{0,9})$/.test(text)) return Number(text);
  return key === 'hours' ? (readHours(text) ?? text) : text;
}

function escaped(text: string): string {
  return text.replace(/[\s%#=]/gu, (sign) => encodeURIComponent(sign));
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
