import { expect, test } from 'vitest';
import { fail } from '../../../app/contract/errors.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import type { SystemDnsStatus } from '../../../app/contract/system/system-dns.ts';
import type { Attempt } from './attempt.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

const trouble = fail('helper-refused', 'the file is read-only', 'remount it').failure;

function statusOf(changes: Partial<SystemDnsStatus>): ServiceStatus {
  const systemDns = { wanted: true, taken: true, givenBackFor: null, trouble: null, ...changes };
  const verdict = { is: 'protected', upstream: 'Quad9', exceptions: 0 };
  return { systemDns, verdict } as unknown as ServiceStatus;
}

const own = statusOf({ wanted: false, taken: false });
const led = statusOf({});
const troubled = statusOf({ taken: false, trouble });
const refusedBy = (code: Parameters<typeof fail>[0]): Attempt => ({
  is: 'refused',
  change: 'take',
  failure: fail(code, 'm', 'r').failure,
  startHelper: 'sudo x',
});

test.each<[string, Attempt, typeof own | null, Partial<Outcome>]>([
  ['the service is asked', { is: 'asking', change: 'take' }, own, { tone: 'busy', mayStop: false }],
  ['a prompt is open', { is: 'prompting', change: 'take' }, own, { says: 'protect-password' }],
  ['the status is unknown', { is: 'made', change: 'take' }, null, { says: 'taking-changing' }],
  [
    'the status is older',
    { is: 'made', change: 'take' },
    own,
    { says: 'taking-changing', tone: 'busy' },
  ],
  [
    'a query arrived',
    { is: 'made', change: 'take' },
    led,
    { says: 'taking-working', tone: 'good', mayStop: true },
  ],
  [
    'something prevents it',
    { is: 'made', change: 'take' },
    troubled,
    { says: 'taking-failed', failure: trouble, mayStop: true },
  ],
  ['it is not given back yet', { is: 'made', change: 'give-back' }, led, { tone: 'busy' }],
  ['it is given back', { is: 'made', change: 'give-back' }, own, { says: 'taking-stopped' }],
  [
    'refused, and wanted none the less',
    refusedBy('helper-missing'),
    troubled,
    { says: 'refused-helper-missing', line: 'sudo x', mayTryAgain: true, mayStop: true },
  ],
  [
    'refused, and led here since',
    refusedBy('helper-missing'),
    led,
    { says: 'taking-working', line: null, failure: null },
  ],
  ['locked', refusedBy('setting-locked'), own, { mayTryAgain: false, mayStop: false }],
  ['a failure of its own', refusedBy('connection-lost'), own, { says: null, mayTryAgain: true }],
])('%s', (_, attempt, status, expected) => {
  expect(outcomeOf(attempt, status)).toMatchObject(expected);
});
