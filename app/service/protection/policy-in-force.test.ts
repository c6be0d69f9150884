import { expect, test } from 'vitest';
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import { effectivePolicy } from '../network/effective-policy.ts';
import { fromUser, someEffective } from './effective-fixture.ts';
import { rulesInForce } from './policy-in-force.ts';

const clock = { now: () => 0, built: 0 };

const locked = { ...fromUser, layer: 'policy', locked: true, lockedBy: 'Corp' } as const;

function onNetwork(remembered: DowngradePolicy | null, confirmed: boolean) {
  return {
    label: () => 'home',
    isNetwork: () => 'no' as const,
    policyHere: (setting: DowngradePolicy) => effectivePolicy({ setting, remembered, confirmed }),
  };
}

const mine = 'your settings';
const homes = 'what was set for the network home';

test.each<
  [string, DowngradePolicy, DowngradePolicy | null, boolean, boolean, DowngradePolicy, string]
>([
  ['nothing remembered', 'warn', null, true, false, 'warn', mine],
  ['stricter', 'fallback', 'refuse', false, false, 'refuse', homes],
  ['looser, unconfirmed', 'refuse', 'fallback', false, false, 'refuse', mine],
  ['looser, confirmed', 'refuse', 'fallback', true, false, 'fallback', homes],
  ['looser than a lock, confirmed', 'refuse', 'fallback', true, true, 'refuse', 'Corp'],
  ['stricter than a lock', 'fallback', 'warn', false, true, 'warn', homes],
])('%s', (_what, downgrade, remembered, confirmed, isLocked, policy, why) => {
  const effective = someEffective({ downgrade }, isLocked ? { downgrade: locked } : {});
  const [rules] = rulesInForce(effective, onNetwork(remembered, confirmed), clock);
  expect(rules).toMatchObject({ id: '', policy, why });
});

test('the order in which groups are written means nothing', () => {
  const corp = { names: ['x.example'], when: { user: ['ann'] } };
  const lab = { names: ['x.example'], downgrade: 'refuse' as const };
  const [one, other] = [
    { lab, corp },
    { corp, lab },
  ].map((groups) =>
    rulesInForce(someEffective({ groups }), onNetwork(null, false), clock).map(({ id }) => id),
  );
  expect([one, other]).toEqual([
    ['', 'corp', 'lab'],
    ['', 'corp', 'lab'],
  ]);
});

test('a group’s own policy is only ever made stricter by a network; what it leaves out is everybody’s', () => {
  const effective = someEffective({
    downgrade: 'warn',
    rungs: ['udp', 'unauthenticated'],
    strategy: 'race',
    groups: {
      corp: { names: ['Corp.Example.'], downgrade: 'refuse', rungs: ['tcp'], strategy: 'spread' },
      lab: { names: ['lab.example'], consent: 'administrator' },
    },
  });
  const [, corp, lab] = rulesInForce(effective, onNetwork('fallback', true), clock);
  expect(corp).toEqual({
    id: 'corp',
    names: ['corp.example'],
    policy: 'refuse',
    why: mine,
    rungs: ['tcp'],
    strategy: 'spread',
    consent: 'anyone',
    when: null,
  });
  expect(lab).toMatchObject({
    policy: 'fallback',
    why: homes,
    rungs: ['unauthenticated', 'udp'],
    strategy: 'race',
    consent: 'administrator',
  });
  const strict = rulesInForce(effective, onNetwork('refuse', false), clock);
  expect(strict.map(({ policy }) => policy)).toEqual(['refuse', 'refuse', 'refuse']);
});

test.each([
  ['yes', ['', 'inner', 'loose', 'strict']],
  ['no', ['', 'inner']],
  ['unknown', ['', 'inner', 'strict']],
] as const)('groups for a network that fits as %s: %j', (fit, expected) => {
  const when = { network: ['Office'] };
  const effective = someEffective({
    downgrade: 'warn',
    groups: {
      strict: { names: ['strict.example', 'in.inner.example'], downgrade: 'refuse', when },
      loose: { names: ['loose.example'], downgrade: 'fallback', when },
      inner: { names: ['inner.example'], downgrade: 'refuse' },
    },
  });
  const network = { ...onNetwork(null, false), isNetwork: () => fit };
  const found = rulesInForce(effective, network, clock);
  expect(found.map(({ id }) => id)).toEqual(expected);
  // a name for which it is not the stricter one stays with its other group
  const names = found.find(({ id }) => id === 'strict')?.names;
  if (fit === 'unknown') expect(names).toEqual(['strict.example']);
});

test('a group for other hours has no names', () => {
  const night = { hours: [{ from: '22:00', to: '06:00' }] };
  const effective = someEffective({ groups: { corp: { names: ['corp.example'], when: night } } });
  const at = (time: string) =>
    rulesInForce(effective, onNetwork(null, true), {
      ...clock,
      now: () => new Date(time).getTime(),
    }).map(({ id }) => id);
  expect(at('2026-11-23T23:00:00')).toEqual(['', 'corp']);
  expect(at('2026-11-23T12:00:00')).toEqual(['']);
});
