import { describe, expect, test } from 'vitest';
import type { DowngradePolicy } from '../../../app/contract/settings/downgrade-policy.ts';
import type { NetworkDetails } from '../../../app/contract/system/network.ts';
import { called } from './called.ts';
import { isLooser, waits } from './policies.ts';

const network: NetworkDetails['network'] = {
  id: '0123456789ab',
  name: null,
  label: '192.0.2.0/24 on eth0',
  hints: { interface: 'eth0', gateway: null, gatewayMac: null, prefix: null, domain: null },
  policy: null,
  authenticated: false,
  firstSeen: 0,
  lastSeen: 0,
  current: true,
};

test.each<[DowngradePolicy, DowngradePolicy, boolean]>([
  ['warn', 'refuse', true],
  ['fallback', 'warn', true],
  ['refuse', 'warn', false],
  ['warn', 'warn', false],
])('%s is looser than %s: %j', (policy, than, looser) => {
  expect(isLooser(policy, than)).toBe(looser);
});

describe('a remembered policy', () => {
  test.each<[DowngradePolicy | null, boolean, boolean, boolean]>([
    ['fallback', false, false, true],
    ['fallback', true, false, false],
    ['fallback', false, true, false],
    ['refuse', false, false, false],
    [null, false, false, false],
  ])('%s, confirmed %j, locked %j: waits %j', (policy, confirmed, locked, waiting) => {
    const details = { network: { ...network, policy }, links: [], confirmed };
    expect(waits(details, { policy: 'warn', locked, lockedBy: null })).toBe(waiting);
  });
});

test('a name stands before what was seen, and neither is obeyed', () => {
  expect(called(network)).toBe('192.0.2.0/24 on eth0');
  expect(called({ ...network, name: '<b>Café</b>' })).toBe('<b>Café</b>');
  expect(called({ ...network, label: 'on \u202eeth0' })).toBe('on \\u202eeth0');
});
