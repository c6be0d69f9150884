import { expect, test } from 'vitest';
import { rulesInList } from '../../contract/protection/list-word.ts';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { gatherRules, type RuleList } from './rule-lists.ts';

const to = ['192.0.2.53'];
const many = (count: number, more: Partial<BypassRule> = {}): BypassRule[] =>
  Array.from({ length: count }, (_, number) => ({
    suffix: `h${number}.corp.example`,
    to,
    ...more,
  }));

function onlyList(rules: readonly BypassRule[]): RuleList {
  const { lists, alone } = gatherRules(rules);
  expect(alone).toEqual([]);
  expect(lists).toHaveLength(1);
  return lists[0] as RuleList;
}

test('as many rules as a person has stay alone', () => {
  expect(gatherRules(many(64))).toEqual({ lists: [], alone: many(64) });
  expect(onlyList(many(65)).rules).toEqual(many(65));
});

test('a list has the words of its rules', () => {
  const when = { network: ['office'] };
  const list = onlyList([...many(64, { when }), { suffix: '=WWW.Lab.example.', to, when }]);
  expect(list.names.split('\n').slice(-2)).toEqual(['h63.corp.example', '=www.lab.example']);
  expect(list.words.split('\n').slice(-2)).toEqual([
    'h63.corp.example when network office',
    '=www.lab.example when network office',
  ]);
  expect(list).toMatchObject({ to, when, after: ' when network office' });
});

test('the word is another one as soon as a name, a resolver or the condition is', () => {
  const lists = [
    many(65),
    many(66),
    many(65, { to: ['192.0.2.54'] }),
    many(65, { when: { network: ['office'] } }),
    many(65).with(3, { suffix: 'other.example', to }),
  ].map((rules) => onlyList(rules).word);
  expect(new Set(lists).size).toBe(lists.length);
  expect(onlyList(many(65)).word).toBe(lists[0]);
  expect(lists.map((word) => rulesInList(word))).toEqual([65, 66, 65, 65, 65]);
});

test('rules that differ in more than their names are in lists of their own, or alone', () => {
  const others: BypassRule[] = [
    { suffix: 'com', to, downgrade: true },
    { suffix: '*', to },
    { suffix: '10.0.0.0/8', to },
    { suffix: 'db.example', to, when: { user: ['ann'] } },
    { suffix: 'lab.example', to: ['192.0.2.54'] },
  ];
  const inOffice = many(70, { when: { network: ['office'] } });
  const { lists, alone } = gatherRules([...many(65), ...inOffice, ...others]);
  expect(lists.map(({ rules }) => rules.length)).toEqual([65, 70]);
  expect(alone).toEqual(others);
});
