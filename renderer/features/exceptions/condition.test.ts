import { expect, test } from 'vitest';
import type { Condition } from '../../../app/contract/settings/condition.ts';
import { loadLanguage } from '../../text/loaded.ts';
import { wordsIn } from '../../text/use-text.ts';
import { type ConditionDraft, draftOf, problemsOf, readCondition } from './condition-draft.ts';
import { conditionWords, ruleWords, targetWords } from './rule-in-words.ts';

await loadLanguage('en');
await loadLanguage('de');

const empty: ConditionDraft = { network: '', unit: '', user: '', hours: [] };
const night = { days: ['mon', 'tue'] as const, from: '22:00', to: '06:00' };

test.each<[string, Condition | undefined]>([
  ['none', undefined],
  ['an account', { user: ['backup', 1001] }],
  ['a program', { unit: ['backup.service'] }],
  ['a network', { network: ['Office', 'a1b2c3d4e5f6'] }],
  [
    'hours',
    {
      hours: [
        { from: '09:00', to: '17:00' },
        { ...night, days: [...night.days] },
      ],
    },
  ],
  [
    'all of them',
    { user: [0], unit: ['a.scope'], network: ['x'], hours: [{ ...night, days: ['sun'] }] },
  ],
])('a condition stays the same in the form: %s', (_of, condition) => {
  expect(readCondition(draftOf(condition))).toEqual(condition);
});

test('blanks, empty parts and repeated words mean nothing', () => {
  expect(readCondition({ ...empty, network: ' Office ,, Office,' })).toEqual({
    network: ['Office'],
  });
});

test.each<[string, Partial<ConditionDraft>, unknown[]]>([
  ['nothing wrong', { unit: 'a.service', user: 'ann, 1001, svc$' }, []],
  ['no unit', { unit: 'a.service, firefox' }, [{ at: 'unit', word: 'firefox' }]],
  ['no account', { user: 'two words' }, [{ at: 'user', word: 'two words' }]],
  ['no number of an account', { user: '4294967295' }, [{ at: 'user', word: '4294967295' }]],
  ['half a time', { hours: [{ days: [], from: '22:00', to: '' }] }, [{ at: 'hours', place: 0 }]],
  ['no time', { hours: [{ days: [], from: '7:00', to: '24:00' }] }, [{ at: 'hours', place: 0 }]],
  [
    'too many',
    { network: Array.from({ length: 17 }, (_, place) => `n${place}`).join() },
    [{ at: 'too-many', of: 'network' }],
  ],
])('problems: %s', (_what, draft, problems) => {
  expect(problemsOf({ ...empty, ...draft })).toEqual(problems);
});

test('a condition in words, in both languages', () => {
  const when: Condition = {
    user: ['backup'],
    network: ['Office', 'Home\u202e'],
    hours: [{ ...night, days: [...night.days] }],
  };
  expect(conditionWords(when, wordsIn('en', ['en-GB']))).toBe(
    'only for the account backup, only in the network Office or Home\\u202e, only Mon and Tue 22:00 to 06:00',
  );
  expect(conditionWords(when, wordsIn('de', ['de-DE']))).toBe(
    'nur für das Konto backup, nur im Netzwerk Office oder Home\\u202e, nur Mo und Di 22:00 bis 06:00',
  );
  expect(ruleWords({ suffix: 'corp.example' }, wordsIn('en', []))).toBe('corp.example');
});

test('where names go, in words', () => {
  const english = wordsIn('en', ['en-GB']);
  expect(targetWords(['link:tun0', '192.0.2.1:53'], english)).toBe(
    'goes to the resolvers of tun0, 192.0.2.1:53',
  );
  expect(targetWords(['network'], wordsIn('de', []))).toBe('geht an die Resolver dieses Netzes');
});
