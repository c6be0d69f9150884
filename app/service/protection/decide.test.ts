/**
 * Everything that follows from the facts of one moment, as plain data: what is permitted and reported, which consent is sought,
 * and why entries are over.
 */
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import { nobody } from '../conditions/account-numbers.ts';
import type { HereRule } from '../rules/rules-here.ts';
import { configOf, decide } from './decide.ts';
import { fromUser, someEffective } from './effective-fixture.ts';
import type { Facts } from './facts.ts';
import {
  entry,
  facts,
  group,
  here,
  none,
  now,
  reached,
  rules,
  someConsentRequest,
} from './protection-fixture.ts';

const corp = {
  rule: 'corp.example',
  class: 'bypass',
  to: ['192.0.2.9:53'],
  names: { below: ['corp.example'], alone: [], singleLabels: false },
  when: null,
  reason: 'bypass rule',
  who: 'your settings',
  list: null,
} as unknown as HereRule;

const off = { protection: 'off', since: 5, who: 'me', until: null } as const;

function allFacts(changes: Partial<Facts> = {}): Facts {
  return {
    ...facts(),
    effective: someEffective(),
    rules: [],
    servers: [],
    identities: new Map(),
    onBattery: false,
    refuseFor: [],
    accounts: {
      numberOf: (name) => ({ backup: 34 })[name] ?? null,
      subordinatesOf: () => [],
      known: nobody,
    },
    forwarders: [],
    entries: [],
    ...changes,
  };
}

const permitted = (changes: Partial<Facts>) =>
  decide(allFacts(changes)).permissions.map((one) => [one.class, one.group, one.rule]);

test('a rule, a policy and the switch each permit their own', () => {
  const fallback = [group({ rules: rules({ policy: 'fallback' }) })];
  expect(permitted({ rules: [corp], groups: fallback })).toEqual([
    ['bypass', '', 'corp.example'],
    ['policy', '', ''],
  ]);
  const servers = ['192.0.2.53:53'];
  expect(permitted({ rules: [corp], groups: fallback, position: off, servers })).toEqual([
    ['bypass', '', 'corp.example'],
    ['off', '', ''],
  ]);
  expect(permitted({ position: off })).toEqual([]);
});

test('the engine is configured with leases of entries alone, whatever is permitted', () => {
  const decision = decide(allFacts({ groups: [group({ rules: rules({ policy: 'fallback' }) })] }));
  expect(decision.permissions).toHaveLength(1);
  expect(configOf(decision, []).leases).toEqual([]);
  expect(configOf(decision, [entry()]).leases).toMatchObject([{ entry: 7, class: 'policy' }]);
});

test('under refuse the engine is given no rung', () => {
  const { engine } = decide(allFacts());
  expect(engine.groups).toMatchObject([{ rungs: [], hold: false }]);
});

test('the engine gets users by their numbers, and is told of accounts that it can not know', () => {
  const { engine } = decide(
    allFacts({
      rules: [{ ...corp, when: { user: ['backup', 'gone'] } }],
      refuseFor: [{ network: ['Office'] }, { unit: ['kiosk.service'], user: [7] }],
      groups: [group({ rules: rules({ when: { user: ['backup'] } }) })],
    }),
  );
  const anybody = { users: null, unknownUsers: false, subordinates: [], units: null };
  expect(engine.rules).toMatchObject([{ when: { users: [34], unknownUsers: true, units: null } }]);
  expect(engine.refuseFor).toEqual([anybody, { ...anybody, users: [7], units: ['kiosk.service'] }]);
  expect(engine.groups).toMatchObject([{ policy: 'refuse', when: { ...anybody, users: [34] } }]);
});

test('giving DNS back is for every name: the guardian is told the strictest policy, and whether it is locked', () => {
  const groups = [group({ rules: rules({ policy: 'fallback' }) }), group({ rules: rules() })];
  const locked = { downgrade: { ...fromUser, locked: true } };
  expect(decide(allFacts({ groups })).guardian).toEqual({ policy: 'refuse', locked: false });
  const effective = someEffective({}, locked);
  expect(decide(allFacts({ groups, effective })).guardian.locked).toBe(true);
  const loose = [group({ rules: rules({ policy: 'fallback' }) })];
  const refusing = someEffective({ refuseFor: [{ user: ['ann'] }] });
  expect(decide(allFacts({ groups: loose })).guardian.policy).toBe('fallback');
  expect(decide(allFacts({ groups: loose, effective: refusing })).guardian.policy).toBe('refuse');
});

test('a consent request to be opened says where, for which group, and why', () => {
  const warn = rules({ policy: 'warn' });
  const { requests } = decide(allFacts({ groups: [group({ rules: warn, path: none })] }));
  const request = { group: '', network: here.id, upstream: 'A', why: 'A: timed out.' };
  expect(requests).toMatchObject([{ change: 'open', request }]);
});

test('a consent request that counts no more is dropped', () => {
  const warn = rules({ policy: 'warn' });
  const groups = [group({ rules: warn, path: reached, request: someConsentRequest() })];
  expect(decide(allFacts({ groups })).requests).toEqual([{ change: 'drop', group: '' }]);
});

test.each<[string, Partial<LedgerEntry>, Partial<Facts>, string | undefined]>([
  ['of another network', { network: 'home' }, {}, ledgerEndings['network-changed']],
  ['whose time is over', { until: now }, {}, ledgerEndings['time-over']],
  [
    'of a login whose time is over',
    { class: 'portal', until: now },
    {},
    ledgerEndings['time-over'],
  ],
  ['of a rule that is gone', { rule: 'corp.example' }, {}, ledgerEndings['rule-gone']],
  ['of a rule that stands', { rule: 'corp.example' }, { rules: [corp] }, undefined],
  [
    'whose group is private again',
    {},
    { groups: [group({ path: reached })] },
    ledgerEndings['private-again'],
  ],
  ['that a switched position ends', {}, { position: off }, undefined],
  ['that nothing ended yet', {}, {}, undefined],
])('why an entry is over: one %s', (_name, changes, around, why) => {
  const { endings } = decide(allFacts({ ...around, entries: [entry(changes)] }));
  expect(endings.get(7)).toBe(why);
});
