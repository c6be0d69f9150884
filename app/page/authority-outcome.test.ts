import { expect, test } from 'vitest';
import { readOutcome } from './authority-outcome.ts';

const json = (code: string) =>
  `a warning\n${JSON.stringify({ error: { code, message: 'it says no', remedy: 'ask it' } })}\n`;

test.each<[number | null, string, string]>([
  [0, '', 'ok'],
  [0, 'a warning', 'ok'],
  [null, '', 'authority-dismissed'],
  [126, 'Error executing command as another user: Request dismissed\n', 'authority-dismissed'],
  [
    127,
    'Error executing command as another user: Not authorized\n\nThis incident has been reported.\n',
    'authority-refused',
  ],
  [
    127,
    'Error executing command as another user: No authentication agent found.\n',
    'authority-unreachable',
  ],
  [127, 'Error getting authority: no bus\n', 'authority-unreachable'],
  [127, '', 'authority-unreachable'],
  [1, json('helper-missing'), 'helper-missing'],
  [1, json('setting-locked'), 'setting-locked'],
  [3, json('not-running'), 'not-running'],
  [1, json('usage'), 'internal'],
  [1, 'no JSON', 'internal'],
  [1, 'null', 'internal'],
  [2, '', 'internal'],
])('status %s with %j: %s', (code, said, expected) => {
  const outcome = readOutcome(code, said, 'take');
  expect(outcome.ok ? 'ok' : outcome.failure.code).toBe(expected);
});

test('what the command says of the failure is kept', () => {
  expect(readOutcome(1, json('helper-missing'), 'take')).toEqual({
    ok: false,
    failure: { code: 'helper-missing', message: 'it says no', remedy: 'ask it', subject: null },
  });
});

test('each refusal names the way that is left', () => {
  const refused = readOutcome(127, 'Not authorized', 'give-back');
  expect(refused).toMatchObject({
    failure: { remedy: 'as an administrator: sudo sotto system give-back' },
  });
});

test('what a stranger wrote is cut', () => {
  const refused = readOutcome(127, 'x'.repeat(10_000), 'take');
  expect(refused.ok ? '' : refused.failure.message.length).toBeLessThan(300);
});
