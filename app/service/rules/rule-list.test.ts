import { expect, test } from 'vitest';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { compareRules, mergeRules } from './rule-list.ts';

const rule = (suffix: string, more: Partial<BypassRule> = {}): BypassRule => ({
  suffix,
  to: ['192.0.2.1'],
  ...more,
});

test('a rule takes the place of the one for the same names and condition, and keeps its spelling', () => {
  const when = { user: ['a', 'b'] };
  const merged = mergeRules(
    [rule('Corp.Example.'), rule('corp.example', { when }), rule('lab.example')],
    [
      rule('corp.example', { to: ['192.0.2.2'] }),
      rule('corp.example', { when: { user: ['b', 'a'] }, to: ['192.0.2.3'] }),
      rule('new.example'),
      rule('NEW.example', { to: ['192.0.2.4'] }),
    ],
    'merge',
  );
  expect(merged).toEqual([
    rule('Corp.Example.', { to: ['192.0.2.2'] }),
    rule('corp.example', { when: { user: ['b', 'a'] }, to: ['192.0.2.3'] }),
    rule('lab.example'),
    rule('new.example', { to: ['192.0.2.4'] }),
  ]);
});

/** So many that nobody waits for each of them to be compared with every other one. */
const many = Array.from({ length: 60_000 }, (_, at) => rule(`h${at}.corp.example`));

test('long lists are merged, replaced and compared', () => {
  const given = [...many.toReversed(), rule('lab.example')];
  const merged = mergeRules(many, given, 'merge');
  expect(compareRules(many, merged)).toEqual({
    ...{ added: [rule('lab.example')], changed: [], removed: [] },
    unchanged: many.length,
  });
  const replaced = mergeRules(many, given.slice(1), 'replace');
  expect(compareRules(many, replaced)).toMatchObject({ removed: [many.at(-1)], changed: [] });
});

test('many rules for one name under conditions are told from each other', () => {
  const conditional = many.map(({ suffix: _, to }, at) =>
    rule('corp.example', { to, when: { user: [at] } }),
  );
  const merged = mergeRules(conditional, conditional.toReversed(), 'merge');
  expect(compareRules(conditional, merged).unchanged).toBe(conditional.length);
});
