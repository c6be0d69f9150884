import { expect, test } from 'vitest';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { commandToStart, type Silence, silenceOf } from './silence.ts';

test.each<[boolean | null, string, Silence]>([
  [true, 'refuse', 'blocked'],
  [true, 'warn', 'unknown'],
  [true, 'fallback', 'unknown'],
  [false, 'refuse', 'unencrypted'],
  [null, 'refuse', 'unencrypted'],
])('taken: %s, policy %s: %s', (taken, policy, expected) => {
  const systemDns = taken === null ? null : { taken };
  const groups = [
    { id: 'corp', policy: 'fallback' },
    { id: '', policy },
  ];
  expect(silenceOf({ systemDns, groups } as unknown as ServiceStatus)).toBe(expected);
});

test.each([
  ['start it with: sudo systemctl start sotto', 'sudo systemctl start sotto'],
  ['start it again with: sotto ui', 'sotto ui'],
  ['start it: sotto run', 'sotto run'],
  ['restart the service', null],
])('%j: %j', (remedy, command) => {
  expect(commandToStart({ remedy })).toBe(command);
});
