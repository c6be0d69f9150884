import { expect, test } from 'vitest';
import { loadLanguage } from '../../text/loaded.ts';
import { wordsIn } from '../../text/use-text.ts';
import { itemsOf, sayItem } from './said-items.ts';

await loadLanguage('en');
await loadLanguage('de');
const english = wordsIn('en', []);
type Value = Parameters<typeof itemsOf>[0];
const said = (value: Value, words = english) => itemsOf(value).map((one) => sayItem(one, words));

test('each item of a list is said with all that it has', () => {
  expect(said(['a', 5])).toEqual(['a', '5']);
  const upstream = { id: 'corp', transport: 'dot', address: ['192.0.2.1', '192.0.2.2'] };
  expect(said([upstream])).toEqual(['corp – transport: dot, address: 192.0.2.1, 192.0.2.2']);
  expect(said({ corp: { names: ['corp.example'], downgrade: 'warn' } })).toEqual([
    'corp – Names: corp.example, Without an encrypted connection: warn',
  ]);
  expect(said('refuse')).toEqual([]);
  expect(said(null)).toEqual([]);
});

test('a rule is said as on the page Exceptions, and a downgrade as one', () => {
  const rule = { suffix: 'corp.example', to: ['192.0.2.53'] };
  expect(said([rule])).toEqual(['corp.example goes to 192.0.2.53']);
  expect(said([{ ...rule, suffix: '.', downgrade: true }])).toEqual([
    '. goes to 192.0.2.53: a downgrade',
  ]);
  expect(said([rule], wordsIn('de', []))).toEqual(['corp.example geht an 192.0.2.53']);
});

test('nothing of it can hide', () => {
  expect(said(['a\u202eb', { id: 'x\u0007', more: { deep: '\u200b' } }])).toEqual([
    String.raw`a\u202eb`,
    String.raw`x\x07 – more: {"deep":"\u200b"}`,
  ]);
});
