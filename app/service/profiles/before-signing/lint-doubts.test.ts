import { expect, test } from 'vitest';
import { readProfile } from '../profile-file.ts';
import { doubtsAbout } from './lint-doubts.ts';

const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
const now = Date.parse('2030-06-01T00:00:00Z');
const past = '2030-01-01T00:00:00Z';
const soon = '2030-07-01T00:00:00Z';
const later = '2031-01-01T00:00:00Z';
const refuse = { downgrade: { value: 'refuse', lock: 'locked' } };
const take = { 'systemDns.take': { value: true, lock: 'locked' } };
const code = { pause: { value: 'code', lock: 'locked' } };
const bypass = { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] };
const upstream = { id: 'corp', transport: 'dot', address: '192.0.2.1', name: 'dns.corp.example' };

function doubts(settings: object, more: object = {}): string[] {
  const octets = Buffer.from(JSON.stringify({ ...facts, settings, ...more }));
  const { profile, problems } = readProfile('p', octets);
  expect(problems).toEqual([]);
  return profile === null
    ? []
    : doubtsAbout('p', profile, now).map((one) => `${one.path}: ${one.reason}`);
}

test.each<[string, object, object, RegExp]>([
  ['an end in the past', refuse, { notAfter: past }, /^notAfter: .*past/],
  ['a share of 0 %', refuse, { rollout: { percent: 0 } }, /^rollout\.percent: .*no machine takes/],
  [
    'a share that no machine has',
    refuse,
    { rollout: { percent: 1e-7 } },
    /^rollout\.percent: .*ten thou/,
  ],
  [
    'what no profile may do',
    { 'systemDns.mechanism': { value: 'file' } },
    {},
    /^settings\["?systemDns\.mechanism"?\]\.value: it holds on no machine/,
  ],
  ['a key that is none', refuse, { nextKey: 'A'.repeat(56) }, /^nextKey: .*no public key/],
  ['the last serial', refuse, { serial: Number.MAX_SAFE_INTEGER }, /^serial: /],
  ['no setting at all', {}, {}, /^settings: .*nothing/],
  [
    'a network that is every network',
    {},
    { networks: [{ match: { prefix: '0.0.0.0/0' }, settings: refuse }] },
    /^networks\[0\]\.match\.prefix: /,
  ],
  [
    'an entry that is over',
    { downgrade: { value: 'refuse', until: past } },
    {},
    /^settings\.downgrade\.value: .*"until"/,
  ],
  [
    'an entry that is over before the version begins',
    { downgrade: { value: 'refuse', until: soon } },
    { notBefore: later },
    /"until"/,
  ],
  ['a pause by code without a take', code, {}, /^settings\.pause\.value: .*systemDns\.take/],
  [
    'a pause by code with a take that is not locked',
    { ...code, 'systemDns.take': { value: true } },
    {},
    /systemDns\.take/,
  ],
  [
    'a pause by code whose take ends before it',
    { ...code, 'systemDns.take': { value: true, lock: true, until: soon } },
    {},
    /systemDns\.take/,
  ],
  ['a pause by code that is not locked', { pause: { value: 'code' }, ...take }, {}, /not locked/],
  [
    'a take that outlives the bypass rules',
    { ...take, bypass: { ...bypass, until: soon } },
    {},
    /^settings\.bypass\.value: .*ends while/,
  ],
  [
    'groups that end before their upstreams',
    {
      upstreams: { value: [upstream, { ...upstream, id: 'b', group: 'work' }] },
      groups: { value: { work: { names: ['corp.example'] } }, until: soon },
    },
    {},
    /^settings\.upstreams\.value\[1\]\.group: from 2030-07-01.*"groups" does not have/,
  ],
])('%s is doubtful', (_what, settings, more, expected) => {
  expect(doubts(settings, more)).toEqual([expect.stringMatching(expected)]);
});

test('a pause by code where a network takes nothing is doubtful, and so is that it may not', () => {
  const settings = { 'systemDns.take': { value: false } };
  const networks = [{ match: { domain: 'a.example' }, settings }];
  expect(doubts({ ...code, ...take }, { networks })).toEqual([
    expect.stringMatching(/^settings\.pause.*systemDns\.take/),
    expect.stringMatching(/^networks\[0\].*it holds on no machine/),
  ]);
});

test.each<[string, object, object]>([
  ['a version as most are', { ...refuse, ...take, ...code, bypass }, { notAfter: later }],
  [
    'ends at the same time',
    { 'systemDns.take': { value: true, until: soon }, bypass: { ...bypass, until: soon } },
    {},
  ],
  ['a share of a machine in a thousand', refuse, { rollout: { percent: 0.1 } }],
])('%s is not', (_what, settings, more) => {
  expect(doubts(settings, more)).toEqual([]);
});
