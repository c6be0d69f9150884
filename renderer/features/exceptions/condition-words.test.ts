import { expect, test } from 'vitest';
import { type Condition, condition } from '../../../app/contract/settings/condition.ts';
import { wordsIn } from '../../text/use-text.ts';
import { conditionOf, fieldsOf, noCondition, sayCondition, wrongPart } from './condition-words.ts';

const full: Condition = {
  user: ['backup', 1001],
  unit: ['cron.service'],
  network: ['Office'],
  hours: [
    { days: ['mon', 'tue'], from: '22:00', to: '06:00' },
    { from: '12:00', to: '13:00' },
  ],
};

test.each<Condition>([
  full,
  { user: ['backup'] },
  { network: ['the office'] },
  { hours: [{ from: '08:00', to: '17:00' }] },
])('%j goes through the form unchanged', (when) => {
  expect(conditionOf(fieldsOf(when), when)).toEqual(when);
  expect(condition.safeParse(conditionOf(fieldsOf(when), when)).success).toBe(true);
});

test.each([
  [{ users: 'backup, 1001, host$' }, null],
  [{ users: 'no such account!' }, 'users'],
  [{ users: 'a b' }, 'users'],
  [{ units: 'cron.service, a@b.scope' }, null],
  [{ units: 'firefox' }, 'units'],
  [{ from: '22:00' }, 'hours'],
  [{ from: '22:00', to: '06:00' }, null],
])('what is wrong with %j: %s', (fields, part) => {
  expect(wrongPart({ ...noCondition, ...fields })).toBe(part);
});

test('nothing written is no condition', () => {
  expect(conditionOf(noCondition, undefined)).toBeUndefined();
  expect(conditionOf({ ...noCondition, users: ' , ', days: ['mon'] }, undefined)).toBeUndefined();
});

test('times that the form does not show are kept', () => {
  const { hours } = conditionOf({ ...fieldsOf(full), from: '', to: '' }, full) ?? {};
  expect(hours).toEqual([{ from: '12:00', to: '13:00' }]);
});

test('a condition is said in words of both languages', () => {
  expect(sayCondition(full, wordsIn('en', ['en-GB']))).toBe(
    'only for backup and 1001, in cron.service, on the network Office, 22:00–06:00 (Mon, Tue) and 12:00–13:00',
  );
  expect(sayCondition(full, wordsIn('de', ['de-DE']))).toBe(
    'nur für backup und 1001, in cron.service, im Netz Office, 22:00–06:00 (Mo, Di) und 12:00–13:00',
  );
  expect(sayCondition({ user: ['a\u202eb'] }, wordsIn('en', ['en-GB']))).not.toContain('\u202e');
});
