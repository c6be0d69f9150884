import { describe, expect, test } from 'vitest';
import type { FlatSettings, SettingKey } from '../../contract/settings/settings.ts';
import { fromUser, someEffective } from '../protection/effective-fixture.ts';
import {
  refuseAnswer,
  refuseLooserNetwork,
  refuseRenaming,
  refuseSiteInCleartext,
  refuseSwitchingAway,
} from './loosening.ts';

const byAdministrator: Partial<FlatSettings> = { downgrade: 'fallback', consent: 'administrator' };
const corp = { corp: { names: ['corp.example'], consent: 'administrator' } } as const;

describe('a policy for a network', () => {
  test.each([
    ['stricter than the setting', 'warn', null, 'refuse', byAdministrator, true],
    ['looser than the setting', 'refuse', null, 'warn', byAdministrator, false],
    ['looser than what was set there', 'fallback', 'refuse', 'fallback', byAdministrator, false],
    ['what was set there, taken away', 'fallback', 'refuse', null, byAdministrator, false],
    ['a looser one, taken away', 'refuse', 'fallback', null, byAdministrator, true],
    ['a looser one, confirmed again', 'refuse', 'fallback', 'fallback', byAdministrator, false],
    ['looser, one group asks more', 'refuse', null, 'fallback', { groups: corp }, false],
    ['looser, and nobody asks more', 'refuse', null, 'fallback', {}, true],
  ] as const)('%s', (_what, downgrade, remembered, given, settings, allowed) => {
    const rules = someEffective({ ...settings, downgrade } as Partial<FlatSettings>);
    const refused = refuseLooserNetwork({ remembered, given }, 'control', rules);
    expect(refused).toEqual(
      allowed
        ? null
        : expect.objectContaining({ failure: expect.objectContaining({ code: 'forbidden' }) }),
    );
    expect(refuseLooserNetwork({ remembered, given }, 'administer', rules)).toBeNull();
  });
});

const lockOn = (...keys: SettingKey[]) =>
  Object.fromEntries(
    keys.map((key) => [key, { ...fromUser, layer: 'policy' as const, locked: true }]),
  );
const locked = lockOn('downgrade');
const bank = { bank: { names: ['bank.example'], downgrade: 'refuse' as const } };

test('where the policy is locked, no looser one is remembered for a network until the lock ends', () => {
  const rules = someEffective({}, locked);
  const change = { remembered: null, given: 'fallback' } as const;
  expect(refuseLooserNetwork(change, 'control', rules)).not.toBeNull();
  expect(refuseLooserNetwork({ remembered: null, given: 'refuse' }, 'control', rules)).toBeNull();
  expect(refuseLooserNetwork(change, 'administer', rules)).toBeNull();
});

describe('off, pause, and what lets a name out in cleartext', () => {
  test.each([
    ['where anyone may consent', someEffective(), true],
    ['where an administrator must', someEffective(byAdministrator), false],
    ['where one must for a group', someEffective({ groups: corp } as never), false],
    ['where the policy is locked', someEffective({}, locked), false],
    ['where the groups are locked', someEffective({ groups: bank }, lockOn('groups')), false],
    ['where the rungs are locked', someEffective({}, lockOn('rungs')), false],
    ['where the locks say nothing of it', someEffective({}, lockOn('strategy')), true],
  ])('%s', (_where, rules, allowed) => {
    for (const to of ['off', 'paused'] as const) {
      expect(refuseSwitchingAway('control', to, rules) === null).toBe(allowed);
      expect(refuseSwitchingAway('administer', to, rules)).toBeNull();
    }
    expect(refuseSiteInCleartext('control', rules) === null).toBe(allowed);
    expect(refuseSiteInCleartext('administer', rules)).toBeNull();
    const claim = { believe: true, state: 'open' } as const;
    expect(refuseAnswer(claim, 'control', rules) === null).toBe(allowed);
    expect(refuseAnswer(claim, 'administer', rules)).toBeNull();
  });
});

test.each(['believed', 'unconfirmed'] as const)(
  'a claim may be denied, and where it is %s only an administrator ends that',
  (state) => {
    const answer = { believe: false };
    expect(refuseAnswer({ ...answer, state: 'open' }, 'control', someEffective())).toBeNull();
    expect(refuseAnswer({ ...answer, state }, 'control', someEffective())).not.toBeNull();
    expect(refuseAnswer({ ...answer, state }, 'administer', someEffective())).toBeNull();
  },
);

test.each([
  ['the bypass rules are locked', {}, lockOn('bypass'), false],
  ['nothing is to be learned', { learnRules: 'off' }, lockOn('learnRules'), false],
  ['people are to be asked', { learnRules: 'ask' }, lockOn('learnRules'), true],
  ['somebody is refused cleartext', { refuseFor: [{ user: ['kiosk'] }] }, {}, false],
] as const)('a claim makes a rule where %s', (_where, settings, sources, allowed) => {
  const rules = someEffective(settings as unknown as Partial<FlatSettings>, sources);
  const answer = { believe: true, state: 'open' } as const;
  expect(refuseAnswer(answer, 'control', rules) === null).toBe(allowed);
  expect(refuseAnswer(answer, 'administer', rules)).toBeNull();
});

test.each([
  ['somebody is refused cleartext', { refuseFor: [{ user: ['ann'] }] }, {}, false],
  [
    "the system's DNS is locked to Sotto",
    { 'systemDns.take': true },
    lockOn('systemDns.take'),
    false,
  ],
  [
    "the system's DNS is locked to others",
    { 'systemDns.take': false },
    lockOn('systemDns.take'),
    true,
  ],
] as const)('where %s, a pause is for everybody', (_where, settings, sources, mayTurnOff) => {
  const rules = someEffective(settings as unknown as Partial<FlatSettings>, sources);
  expect(refuseSwitchingAway('control', 'off', rules) === null).toBe(mayTurnOff);
  expect(refuseSwitchingAway('control', 'paused', rules)).toBeNull();
  expect(refuseSwitchingAway('administer', 'off', rules)).toBeNull();
});

test.each([
  ['no condition', {}, true],
  ['a condition without a network', { refuseFor: [{ user: ['ann'] }] }, true],
  ['a refusal that names one', { refuseFor: [{ network: ['Office'] }] }, false],
  [
    'a rule that names one',
    { bypass: [{ suffix: 'corp.example', to: ['network'], when: { network: ['Office'] } }] },
    false,
  ],
] as const)('networks are named under %s', (_what, settings, allowed) => {
  const rules = someEffective(settings as unknown as Partial<FlatSettings>);
  expect(refuseRenaming('control', rules) === null).toBe(allowed);
  expect(refuseRenaming('administer', rules)).toBeNull();
});
