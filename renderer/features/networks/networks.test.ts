import { describe, expect, test } from 'vitest';
import type { DowngradePolicy } from '../../../app/contract/settings/downgrade-policies.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { NetworkDetails } from '../../../app/contract/system/network.ts';
import { appliesAt } from './applies-at.ts';
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
    expect(waits(details, { policy: 'warn', locked, lockedBy: null, reason: null })).toBe(waiting);
  });
});

test('a name stands before what was seen, and neither is obeyed', () => {
  expect(called(network)).toBe('192.0.2.0/24 on eth0');
  expect(called({ ...network, name: '<b>Café</b>' })).toBe('<b>Café</b>');
  expect(called({ ...network, label: 'on \u202eeth0' })).toBe('on \\u202eeth0');
});

describe('what applies on a network', () => {
  const setting = (key: string, value: unknown) => ({ key, value }) as EffectiveSetting;
  const settings = [
    setting('bypass', [
      { suffix: 'corp.example', to: ['192.0.2.53'], when: { network: ['office'] } },
      { suffix: 'lab.example', to: ['network'], when: { network: ['0123456789ab', 'Café'] } },
      { suffix: 'always.example', to: ['192.0.2.53'] },
      { suffix: 'user.example', to: ['192.0.2.53'], when: { user: ['office'] } },
    ]),
    setting('groups', {
      work: { names: ['work.example'], when: { network: ['Office'] } },
      all: { names: ['all.example'] },
    }),
    setting('refuseFor', [{ network: ['OFFICE'] }, { user: ['backup'] }]),
  ];

  test.each<[string | null, readonly string[], readonly string[], number]>([
    ['Office', ['corp.example', 'lab.example'], ['work.example'], 1],
    [null, ['lab.example'], [], 0],
    ['office 2', ['lab.example'], [], 0],
  ])('named %j: names, groups and refusals that name it', (name, exceptions, groups, refusals) => {
    const applies = { exceptions, groups, neverUnencrypted: refusals };
    expect(appliesAt({ ...network, name }, settings)).toEqual(applies);
  });

  test('settings that are not known yet say nothing', () => {
    const nothing = { exceptions: [], groups: [], neverUnencrypted: 0 };
    expect(appliesAt(network, [])).toEqual(nothing);
  });
});
