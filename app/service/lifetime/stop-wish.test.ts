import { expect, test } from 'vitest';
import { isInForeground, meaningOf } from './stop-wish.ts';

test.each([
  ['SIGTERM', 'system', null, false, 'killed'],
  ['SIGINT', 'system', null, true, 'killed'],
  ['SIGTERM', 'system', 'stop', false, 'give-back'],
  ['SIGINT', 'system', 'stop', false, 'give-back'],
  ['SIGTERM', 'system', 'restart', false, 'leave'],
  ['SIGTERM', 'system', 'shutdown', false, 'leave'],
  ['SIGTERM', 'user', null, true, 'killed'],
  ['SIGTERM', 'user', 'stop', true, 'killed'],
  ['SIGINT', 'user', null, false, 'killed'],
  ['SIGINT', 'user', null, true, 'give-back'],
] as const)(
  '%s, %s, root says %s, at a terminal: %s: %s',
  (signal, mode, reason, atTerminal, ending) => {
    expect(meaningOf({ signal, mode, reason, atTerminal })).toBe(ending);
  },
);

test.each([
  ['5 (node) S 4 5 5 34816 5 4194304 1', true],
  ['5 (a) b (c) S 4 5 5 34816 5 4194304 1', true],
  ['7 (node) S 5 5 5 34816 5 4194304 1', true],
  ['5 (node) S 4 5 5 34816 9 4194304 1', false],
  ['5 (node) S 4 5 5 0 -1 4194304 1', false],
  ['', false],
])('%j is in the foreground: %s', (stat, is) => {
  expect(isInForeground(stat)).toBe(is);
});
