/** Every setting is judged as its row in judgements-fixture.ts says. A new setting has no row, and this test fails until it has one. */
import { describe, expect, test } from 'vitest';
import { defaultSettings, settingKeys } from '../../contract/settings/settings.ts';
import { decideEntries } from '../profiles/decide-entries.ts';
import { readProfile } from '../profiles/profile-file.ts';
import { disruptsOthers } from './disruptive-change.ts';
import { type Change, type Judgement, judgements } from './judgements-fixture.ts';
import { loosensProtection } from './loosening-change.ts';

test('no setting is without a judgement', () => {
  expect(Object.keys(judgements).sort()).toEqual([...settingKeys].sort());
});

describe.each(settingKeys)('%s', (key) => {
  const { refused, allowed, why, profile } = judgements[key] as Judgement<typeof key>;
  const isRefused = ([before, after]: Change<typeof key>) =>
    loosensProtection(key, before, after) || disruptsOthers(key, before, after);

  test('for a person who may only control', () => {
    for (const change of refused) expect([change, isRefused(change)]).toEqual([change, true]);
    for (const change of allowed) expect([change, isRefused(change)]).toEqual([change, false]);
    expect(allowed.length).toBeGreaterThan(0);
    expect(why).toMatch(/^[A-Z].{19,}\.$/);
  });

  test('for a profile', () => {
    const [value, needs] = profile;
    const written = {
      ...{ id: 'corp', serial: 1, issuer: 'Corp', name: 'Corp' },
      settings: { [key]: { value, lock: true } },
    };
    const read = readProfile('corp.json', Buffer.from(JSON.stringify(written)));
    expect(read.problems).toEqual([]);
    const without = [{ ...defaultSettings, 'portal.detect': false }];
    const decided = decideEntries(read, { before: [], allowed: [], without });
    expect(decided.waiting).toEqual(needs === 'none' ? [] : [{ key, grant: needs }]);
    expect(decided.entries.map((entry) => entry.key)).toEqual(needs === 'none' ? [key] : []);
    if (needs === 'none' || needs === null) return;
    const granted = decideEntries(read, { before: [], allowed: [needs], without });
    expect(granted.waiting).toEqual([]);
  });
});

test.each([
  ['rungs', ['tcp', 'udp'], ['unauthenticated', 'tcp', 'udp', 'network'], 'rungs'],
  ['rungs', ['network'], ['unauthenticated', 'tcp', 'udp', 'network'], 'rungs'],
  ['connections.postQuantum', 'require', 'off', 'downgrade'],
] as const)('a profile needs a grant for "%s" at %j over %j', (key, value, own, grant) => {
  const written = {
    ...{ id: 'corp', serial: 1, issuer: 'Corp', name: 'Corp' },
    settings: { [key]: { value, lock: true } },
  };
  const read = readProfile('corp.json', Buffer.from(JSON.stringify(written)));
  const without = [{ ...defaultSettings, downgrade: 'fallback' as const, [key]: own }];
  const decided = decideEntries(read, { before: [], allowed: [], without });
  expect(decided).toMatchObject({ entries: [], waiting: [{ key, grant }] });
});
