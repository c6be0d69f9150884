/** Whatever field the format has: a change of it is told. The fields are read from the format's declarations. */
import { expect, test } from 'vitest';
import { networkMatch } from '../../../contract/settings/network-match.ts';
import { profileFacts, rollout } from '../../../contract/settings/profile.ts';
import { entryShape } from '../../settings/policy-file.ts';
import { writePublicKey } from '../minisign.ts';
import { type Profile, readProfile } from '../profile-file.ts';
import { makeSecretKey, publicKeyOf } from '../secret-key.ts';
import { diffProfiles } from './profile-diff.ts';

const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
const soon = '2030-01-01T00:00:00Z';
const later = '2031-01-01T00:00:00Z';
const keyLine = () => writePublicKey(publicKeyOf(makeSecretKey())).split('\n')[1];
const corp = { domain: 'corp.example' };
const shop = { domain: 'shop.example' };

function read(said: object): Profile {
  const { profile, problems } = readProfile('p', Buffer.from(JSON.stringify(said)));
  expect(problems).toEqual([]);
  return profile as Profile;
}

function differs(before: object, after: object) {
  return diffProfiles(
    read({ settings: {}, ...facts, ...before }),
    read({ settings: {}, ...facts, ...after }),
  );
}

type Of<Shape extends object> = Record<Exclude<keyof Shape, 'value'>, [unknown, unknown]>;

/** Two values of each field; a field that is new in the format does not compile without them. */
const factValues: Omit<Of<typeof profileFacts.shape>, 'settings' | 'networks'> = {
  $schema: ['./a.json', './b.json'],
  id: ['example-corp', 'other-corp'],
  serial: [7, 8],
  issuer: ['Example Corp', 'Other Corp'],
  name: ['Laptops', 'Phones'],
  notBefore: [soon, later],
  notAfter: [soon, later],
  strict: [true, false],
  rollout: [{ percent: 10 }, { percent: 20 }],
  nextKey: [keyLine(), keyLine()],
};
const entryValues: Of<typeof entryShape.shape> = {
  lock: ['locked', 'hidden'],
  reason: ['one', 'another'],
  until: [soon, later],
};
const matchValues: Of<typeof networkMatch.shape> = {
  gatewayMac: ['02:00:5e:10:00:00', '02:00:5e:10:00:01'],
  prefix: ['10.1.0.0/16', '10.2.0.0/16'],
  domain: ['corp.example', 'shop.example'],
};
const rolloutValues: Of<typeof rollout.shape> = { ring: ['canary', 'office'], percent: [1, 2] };

test('the fields here are those of the format', () => {
  const factFields = Object.keys(profileFacts.shape);
  expect([...Object.keys(factValues), 'settings', 'networks'].sort()).toEqual(factFields.sort());
  expect([...Object.keys(entryValues), 'value'].sort()).toEqual(
    Object.keys(entryShape.shape).sort(),
  );
  expect(Object.keys(matchValues).sort()).toEqual(Object.keys(networkMatch.shape).sort());
  expect(Object.keys(rolloutValues).sort()).toEqual(Object.keys(rollout.shape).sort());
});

test.each(Object.entries(factValues))('%s', (field, [one, other]) => {
  for (const [before, after] of [
    [{ [field]: one }, { [field]: other }],
    [{ [field]: one }, {}],
    [{}, { [field]: one }],
  ] as const) {
    const isSame = field in facts && facts[field as keyof typeof facts] === one;
    const told = differs(before, after).facts.map((fact) => fact.field);
    if (Object.keys(before).length + Object.keys(after).length === 2 || !isSame)
      expect(told).toEqual([field]);
  }
  expect(differs({ [field]: one }, { [field]: one })).toEqual({ facts: [], entries: [] });
});

test.each(Object.entries(rolloutValues))('the %s of a rollout', (field, [one, other]) => {
  const [before, after] = [{ rollout: { [field]: one } }, { rollout: { [field]: other } }];
  expect(differs(before, after).facts).toMatchObject([{ field: 'rollout' }]);
});

test.each([
  ...Object.entries(entryValues),
  ['value', ['refuse', 'warn']] as [string, [unknown, unknown]],
])('the %s of an entry, everywhere and on a network', (field, values) => {
  const entry = (value: unknown) => ({ downgrade: { value: 'refuse', [field]: value } });
  const [before, after] = values.map((value) => ({ settings: entry(value) }));
  expect(differs(before ?? {}, after ?? {}).entries).toMatchObject([
    { key: 'downgrade', network: null },
  ]);
  const [there, then] = values.map((value) => ({
    networks: [{ match: corp, settings: entry(value) }],
  }));
  expect(differs(there ?? {}, then ?? {})).toMatchObject({
    facts: [],
    entries: [{ key: 'downgrade', network: 'domain corp.example' }],
  });
});

test.each(Object.entries(matchValues))('%s of a network', (field, values) => {
  const settings = { downgrade: { value: 'refuse' } };
  const [before, after] = values.map((value) => ({
    networks: [{ match: { [field]: value }, settings }],
  }));
  const { facts: changed, entries } = differs(before ?? {}, after ?? {});
  expect([changed.map((one) => one.field), entries.length]).toEqual([['networks'], 2]);
});

test('of two networks that fit the first counts, so their order is told', () => {
  const settings = { downgrade: { value: 'refuse' } };
  const [first, second] = [corp, shop].map((match) => ({ match, settings }));
  const before = { networks: [first, second] };
  expect(differs(before, { networks: [second, first] }).facts).toEqual([
    {
      field: 'networks',
      before: ['domain corp.example', 'domain shop.example'],
      after: ['domain shop.example', 'domain corp.example'],
    },
  ]);
});

test.each([
  ['an end where there was none', { lock: true }, { lock: true, until: soon }, true],
  ['an end that comes sooner', { until: later, lock: true }, { until: soon, lock: true }, true],
  ['no end any more', { lock: true, until: soon }, { lock: true }, false],
  ['another reason', { lock: true, reason: 'a' }, { lock: true, reason: 'b' }, false],
])('what is strict, with %s', (_how, before, after, loosens) => {
  const entry = (more: object) => ({ settings: { downgrade: { value: 'refuse', ...more } } });
  expect(differs(entry(before), entry(after)).entries).toMatchObject([{ loosens }]);
});

test('what is looser for longer takes protection away', () => {
  const entry = (until: string) => ({ settings: { downgrade: { value: 'fallback', until } } });
  expect(differs(entry(soon), entry(later)).entries).toMatchObject([{ loosens: true }]);
  expect(differs(entry(later), entry(soon)).entries).toMatchObject([{ loosens: false }]);
});
