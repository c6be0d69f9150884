import { expect, test } from 'vitest';
import { z } from 'zod';
import { arePlainRules, bypassRule } from './bypass-rule.ts';

const plain = { suffix: 'corp.example', to: ['192.0.2.53', '[2001:db8::1]:53', 'network'] };

test('plain rules are what the schema makes of them', () => {
  const rules = [plain, { suffix: 'Lab.Example.', to: ['link:tun0'] }];
  expect(arePlainRules(rules)).toBe(true);
  expect(z.array(bypassRule).parse(rules)).toEqual(rules);
});

test.each([
  [null],
  [{}],
  [[null]],
  [[[]]],
  [['corp.example']],
  [[plain, { ...plain, when: { network: ['office'] } }]],
  [[{ ...plain, downgrade: true }]],
  [[{ ...plain, other: 1 }]],
  [[JSON.parse('{ "suffix": "a.example", "to": ["192.0.2.53"], "__proto__": 1 }')]],
  [[{ suffix: 'a..example', to: plain.to }]],
  [[{ suffix: '=www.example', to: plain.to }]],
  [[{ suffix: 'a.onion', to: plain.to }]],
  [[{ suffix: 'bücher.example', to: plain.to }]],
  [[{ suffix: 'a.example', to: [] }]],
  [[{ suffix: 'a.example', to: '192.0.2.53' }]],
  [[{ suffix: 'a.example', to: ['192.0.2.53', 7] }]],
  [[{ suffix: 'a.example', to: ['192.0.2.53', '192.0.2.0/24'] }]],
])('all else is left to the schema: %j', (value) => {
  expect(arePlainRules(value)).toBe(false);
});
