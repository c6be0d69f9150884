/** The items of a list, or the entries of an object, each in one line. Pure. */
import type { BypassRule } from '../../../app/contract/settings/bypass-rule.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Words } from '../../text/use-text.ts';
import { ruleWords, targetWords } from '../exceptions/rule-in-words.ts';
import type { SettingJson } from '../settings/setting-control.ts';
import { fieldWords } from '../settings/setting-words.ts';

export interface Item {
  /** what it is called; null: its place in a list says nothing of it */
  name: string | null;
  value: SettingJson;
}

/** Empty where the value is a word or a number. */
export function itemsOf(value: SettingJson): Item[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.map((one) => ({ name: null, value: one }));
  return Object.entries(value).map(([name, inner]) => ({ name, value: inner }));
}

/** "corp – transport: dot, address: 192.0.2.53". Every field is said, because each may matter. Harmless to show. */
export function sayItem(item: Item, words: Pick<Words, 'text' | 'formats'>): string {
  const { name, value } = item;
  if (isRule(value)) return sayRule(value, words);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return name === null ? flat(value) : `${safe(name)}: ${flat(value)}`;
  const fields = Object.entries(value);
  const head = name ?? fields.find(([field]) => headFields.includes(field))?.[1] ?? '';
  const rest = fields
    .filter(([field]) => name !== null || !headFields.includes(field))
    .map(([field, inner]) => `${fieldWords(field, words).label}: ${flat(inner)}`);
  return [flat(head), rest.join(', ')].filter(Boolean).join(' – ');
}

/** They name an item, and no item has both. */
const headFields = ['id', 'url'];

function isRule(value: SettingJson): value is SettingJson & BypassRule {
  return typeof value === 'object' && value !== null && 'suffix' in value && 'to' in value;
}

function sayRule(rule: BypassRule, words: Pick<Words, 'text' | 'formats'>): string {
  const { text } = words;
  const said = `${ruleWords(rule, words)} ${targetWords(rule.to, words)}`;
  return rule.downgrade ? `${said}: ${text.profiles.downgrade}` : said;
}

function flat(value: SettingJson): string {
  if (Array.isArray(value)) return value.map(flat).join(', ');
  if (typeof value === 'object' && value !== null) return safe(JSON.stringify(value));
  return safe(String(value));
}
