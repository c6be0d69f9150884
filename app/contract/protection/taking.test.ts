import { expect, test } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { someStatus, someSystemDns } from '../../cli/fixtures/made-up.ts';
import { type FailureCode, fail } from '../errors.ts';
import type { SystemDnsStatus } from '../system/system-dns.ts';
import { isSettled, type Taking, takingOf } from './taking.ts';
import { sayRefusal } from './taking-words.ts';
import type { Verdict } from './verdict.ts';

const trouble = fail('helper-missing', 'no helper', 'start it').failure;
const besides = { exceptions: 0, contested: false, around: [] };
const unused = { is: 'not-in-use', works: true, reached: false, unencryptedSince: null } as const;
const unencrypted = { is: 'unencrypted', since: null, until: null, consent: '' } as const;

test.each<[Partial<SystemDnsStatus>, Taking, boolean]>([
  [{ wanted: false, taken: false }, 'not-wanted', true],
  // it is still being given back
  [{ wanted: false, taken: true }, 'not-wanted', true],
  [{ taken: false }, 'changing', false],
  [{ taken: false, trouble }, 'failed', true],
  [{ taken: false, givenBackFor: 'off' }, 'off', true],
  [{ taken: false, givenBackFor: 'no-link' }, 'no-link', true],
  [{ taken: false, givenBackFor: 'contested', trouble }, 'contested', true],
])('not taken, %j: %s', (changes, taking, settled) => {
  expect(takingOf(someStatus({ systemDns: someSystemDns(changes) }))).toBe(taking);
  expect(isSettled(taking)).toBe(settled);
});

test.each<[Verdict, Taking, boolean]>([
  [{ is: 'protected', upstream: 'Quad9', exceptions: 0 }, 'working', true],
  [{ is: 'partly', upstream: 'Quad9', ...besides }, 'partly', true],
  [{ ...unused, why: 'coverage-gap' }, 'not-arriving', true],
  [{ is: 'connecting', waitsFor: 'look', upstream: 'Quad9', ...besides }, 'checking', false],
  [{ is: 'connecting', waitsFor: 'upstream', upstream: 'Quad9', ...besides }, 'led', true],
  [{ is: 'choose', upstream: 'Quad9', ...besides }, 'led', true],
  [{ is: 'blocked', by: 'no-path', cause: '', ...besides }, 'led', true],
  [{ is: 'log-in', ...besides }, 'led', true],
  [{ ...unencrypted, by: 'consent' }, 'led', true],
  [{ ...unencrypted, by: 'contest' }, 'contested', true],
  [{ is: 'paused', until: null }, 'led', true],
])('taken, and %j: %s', (verdict, taking, settled) => {
  expect(takingOf(someStatus({ systemDns: someSystemDns(), verdict }))).toBe(taking);
  expect(isSettled(taking)).toBe(settled);
});

const sudo = 'sudo sotto system give-back';

test.each<[FailureCode, string | null, string | null, string | null]>([
  ['authority-missing', null, 'refused-authority-missing', sudo],
  ['authority-unreachable', null, 'refused-authority-unreachable', sudo],
  ['authority-refused', null, 'refused-authority-refused', sudo],
  ['authority-dismissed', null, 'refused-authority-dismissed', null],
  ['authority-busy', null, 'refused-authority-busy', null],
  ['authority-late', null, 'refused-authority-late', null],
  ['setting-locked', null, 'refused-setting-locked', null],
  ['helper-missing', 'sudo x', 'refused-helper-missing', 'sudo x'],
  ['helper-refused', 'sudo x', 'refused-helper-missing', 'sudo x'],
  ['helper-refused', null, 'refused-helper-refused', null],
  ['no-mechanism', null, 'refused-no-mechanism', null],
  ['connection-lost', null, null, null],
])('%s, helper to be started by %j: %s', (code, startHelper, says, line) => {
  const said = sayRefusal(fail(code, 'm', 'r').failure, 'give-back', startHelper);
  expect([said?.says ?? null, said?.line ?? null]).toEqual([says, line]);
});
