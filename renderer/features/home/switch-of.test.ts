/** The switch is on only where nothing leaves unencrypted: paused is not on, and half on is told from both. */
import { expect, test } from 'vitest';
import type { Verdict } from '../../../app/contract/protection/verdict.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { type SwitchOf, switchOf } from './switch-of.ts';

const besides = { exceptions: 0, contested: false, around: [] };
const unused = { works: true, reached: false, unencryptedSince: null };
const consented: Verdict = { is: 'unencrypted', by: 'consent', since: 0, until: null, consent: '' };
const contested: Verdict = { ...consented, by: 'contest' };

test.each<[Verdict, boolean, boolean, SwitchOf['shows'], SwitchOf['does']]>([
  [{ is: 'protected', upstream: 'a', exceptions: 2 }, true, false, 'on', 'turn-off'],
  [{ is: 'partly', upstream: 'a', ...besides }, true, false, 'half', 'turn-off'],
  [{ is: 'connecting', waitsFor: 'look', upstream: '', ...besides }, true, false, 'on', 'turn-off'],
  [{ is: 'choose', upstream: 'a', ...besides }, true, false, 'on', 'turn-off'],
  [{ is: 'blocked', by: 'no-path', cause: '', ...besides }, true, false, 'on', 'turn-off'],
  [{ is: 'log-in', ...besides }, true, false, 'on', 'turn-off'],
  [{ is: 'paused', until: null }, true, false, 'off', 'turn-on'],
  [{ is: 'off', since: 0 }, true, false, 'off', 'turn-on'],
  [{ is: 'not-in-use', why: 'not-wanted', ...unused }, true, false, 'off', 'protect'],
  [{ is: 'not-in-use', why: 'no-way', ...unused }, false, false, 'off', null],
  [{ is: 'not-in-use', why: 'coverage-gap', ...unused }, true, false, 'off', null],
  [consented, true, true, 'off', 'stop'],
  [consented, true, false, 'off', null],
  [contested, true, false, 'off', 'protect'],
])('%j', (verdict, hasMechanism, byPolicy, shows, does) => {
  const systemDns = hasMechanism ? { mechanism: 'resolved' } : null;
  const clear = byPolicy ? [{ class: 'policy', rule: '' }] : [{ class: 'bypass', rule: 'corp' }];
  const status = { verdict, systemDns, clear } as unknown as ServiceStatus;
  expect(switchOf(status)).toEqual({ shows, does });
});
