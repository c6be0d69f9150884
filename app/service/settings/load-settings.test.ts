import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testCertificate, testFolder } from '../base/test-folder.ts';
import { loadSettings } from './load-settings.ts';
import { lowOrderKeys, serverKey } from './low-order-fixture.ts';
import { readCatalogue } from './resolver-catalogue.ts';
import { sayProblem } from './settings-store.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const catalogue = readCatalogue();

function load(last?: ReturnType<typeof loadSettings>) {
  return loadSettings({
    settingsFile: join(folder.path, 'settings.json'),
    policyFolder: join(folder.path, 'policy.d'),
    catalogue,
    ...(last === undefined ? {} : { last: last.said }),
  });
}

/** Problems without the folder's path, so that the test can list them. */
function say(problems: ReturnType<typeof load>['problems']): string[] {
  return problems.map(sayProblem).map((text) => text.replaceAll(`${folder.path}/`, ''));
}

const corp = { suffix: 'corp.example', to: ['192.0.2.1'] };
const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' };
const corpDot = { ...dot, id: 'c', group: 'corp' };

test('without files: the defaults, and the first resolver of the catalogue', () => {
  const { effective, problems, policyProblems } = load();
  expect([problems, policyProblems]).toEqual([[], []]);
  expect(effective?.settings.upstreams.map(({ id }) => id)).toEqual(['quad9']);
  expect(effective?.settings.listen).toEqual(['127.0.0.1:5300', '[::1]:5300']);
  expect(effective?.sources['cache.entries']).toMatchObject({ layer: 'default', file: null });
});

test('sockets that were handed over are where it listens, unless somebody says where', () => {
  const handedOver = ['127.0.0.1:53'];
  const files = {
    settingsFile: join(folder.path, 'settings.json'),
    policyFolder: join(folder.path, 'policy.d'),
    catalogue,
  };
  const listen = (given: readonly string[]) =>
    loadSettings({ ...files, handedOver: given }).effective?.settings.listen;
  expect(listen(handedOver)).toEqual(handedOver);
  expect(listen([])).toEqual(['127.0.0.1:5300', '[::1]:5300']);
  folder.write('settings.json', '{ "listen": ["127.0.0.1:5301"] }');
  expect(listen(handedOver)).toEqual(['127.0.0.1:5301']);
});

test('an upstream whose port 53 answers for its own names alone gets no rung in cleartext, others do', () => {
  const mullvad = { ...dot, id: 'm', name: ['DNS.Mullvad.net'] };
  folder.write('settings.json', {
    upstreams: [dot, mullvad, { ...dot, id: 'q', name: 'dns.quad9.net' }],
  });
  const { effective } = load();
  expect(effective?.settings.upstreams.map(({ id }) => id)).toEqual(['a', 'm', 'q']);
  expect([...(effective?.notInCleartext ?? [])]).toEqual(['m']);
});

test('an EncDNS upstream is refused where anybody could open its boxes', () => {
  const boxed = { id: 'b', transport: 'encdns', zone: 'enc.example', address: 'network' };
  for (const key of [serverKey, ...lowOrderKeys]) {
    folder.write('settings.json', { upstreams: [dot, { ...boxed, key }] });
    const { effective, problems } = load();
    if (key === serverKey) expect(effective?.settings.upstreams[1]).toMatchObject({ key });
    else expect(say(problems).join()).toContain('[1].key: the key is a point of low order');
  }
});

test('each entry of the catalogue names the pages that it was compared with', () => {
  for (const { id, source, checked } of catalogue) {
    const host = (page: string) => new URL(page).hostname;
    const others = checked.against.filter((page) => host(page) !== host(source));
    if (checked.by === 'others') expect(others.length, id).toBeGreaterThan(1);
    else expect(checked.against.length, id).toBeGreaterThan(0);
  }
});

test('an entry that only one list of others names is none', () => {
  const checked = { on: '2026-11-24', by: 'others', against: ['https://list.example/'] };
  const file = folder.write('resolvers.json', { resolvers: [{ ...catalogue[0], checked }] });
  expect(() => readCatalogue(file)).toThrow('one list of others agrees with nobody');
});

test('the user layer changes only what it names', () => {
  folder.write('settings.json', '{ // comments are fine\n "cache": { "entries": 7 } }');
  const { effective } = load();
  const delivered = { serveStale: false, staleHours: 24, hotSet: 0 };
  expect(effective?.settings.cache).toEqual({ entries: 7, ...delivered });
  expect(effective?.sources['cache.entries'].layer).toBe('user');
  expect(effective?.sources['cache.serveStale'].layer).toBe('default');
});

test('every error is listed, each with its path and line', () => {
  folder.write(
    'settings.json',
    `{
  "cash": {},
  "cache": { "entries": "many", "size": 3 },
  "upstreams": [
    { "id": "a", "transport": "dot", "address": ["192.0.2.1", "dns.test"], "name": "a.test" }
  ],
  "queryLog": { "mode": "full", "mode": "off" }
}`,
  );
  const { effective, problems } = load();
  expect(effective).toBeNull();
  expect(say(problems)).toEqual([
    'settings.json, line 2: cash: unknown field; check its spelling or remove it',
    'settings.json, line 3: cache.entries: expected number, received string',
    'settings.json, line 3: cache.size: unknown field; check its spelling or remove it',
    'settings.json, line 5: upstreams[0].address[1]: "dns.test" is not an IP address with an optional port, such as "192.0.2.1:853" or "[2001:db8::1]:853"; a host name needs a "proxy" that looks it up',
    'settings.json, line 7: queryLog.mode: the key is there twice (first in line 7); remove one',
  ]);
});

test.each([
  ['', 'settings.json, line 1: the file is empty; write at least {}'],
  ['[]', 'settings.json, line 1: expected object, received array'],
  ['{ "cache": { "entries": 1 }', 'settings.json, line 1: not valid JSON: close brace expected'],
  [
    '{ "__proto__": { "cache": 1 } }',
    'settings.json, line 1: __proto__: unknown field; check its spelling or remove it',
  ],
])('%j is refused', (text, message) => {
  folder.write('settings.json', text);
  expect(say(load().problems)).toEqual([message]);
});

test.each([
  [
    { listen: ['127.0.0.1:53'], upstreams: [{ id: 'a', transport: 'udp', address: '127.0.0.1' }] },
    /upstreams\[0\]\.address: 127\.0\.0\.1 is Sotto itself/,
  ],
  [
    { listen: ['[::1]:53'], upstreams: [{ ...dot, address: ['192.0.2.1', '[0:0::1]:53'] }] },
    /upstreams\[0\]\.address\[1\]: \[0:0::1\]:53 is Sotto itself/,
  ],
  [
    { listen: ['0.0.0.0:53'], bypass: [{ suffix: 'corp.example', to: ['127.0.0.2'] }] },
    /bypass\[0\]\.to\[0\]: 127\.0\.0\.2 is Sotto itself/,
  ],
  [
    { listen: ['127.0.0.1:53'], systemResolvers: ['::ffff:127.0.0.1'] },
    /systemResolvers\[0\]: .* is Sotto itself/,
  ],
  [
    { listen: ['127.0.0.1:5300', '127.0.0.1:5300'] },
    /listen\[1\]: 127\.0\.0\.1:5300 is there twice/,
  ],
  [{ upstreams: [dot, dot] }, /upstreams\[1\]\.id: another upstream has the id "a" already/],
  [
    {
      bypass: [
        { suffix: 'corp.example', to: ['192.0.2.1'] },
        { suffix: 'Corp.Example.', to: ['192.0.2.2'] },
      ],
    },
    /bypass\[1\]\.suffix: another rule is for "corp\.example" already/,
  ],
  [
    {
      bypass: [
        { ...corp, when: { user: ['a', 'b'] } },
        corp,
        { ...corp, when: { user: ['b', 'a'] } },
      ],
    },
    /bypass\[2\]\.suffix: another rule is for "corp\.example when user a, b" already/,
  ],
  [{ bypass: [{ ...corp, when: {} }] }, /bypass\[0\]\.when: .*at least one of user/],
  [{ refuseFor: [{ unit: ['firefox'] }] }, /refuseFor\[0\]\.unit\[0\]: .*not a unit of systemd/],
  [
    { refuseFor: [{ hours: [{ from: '9', to: '17:00' }] }] },
    /refuseFor\[0\]\.hours\[0\]\.from: .*not a time/,
  ],
  [
    { bypass: [{ suffix: '.', to: ['192.0.2.1'] }] },
    /bypass\[0\]\.suffix: "\." is the root: .* is a downgrade, not a bypass/,
  ],
  [
    { bypass: [{ suffix: 'co.uk', to: ['192.0.2.1'] }] },
    /"co\.uk" is a public suffix: .* is a downgrade, not a bypass/,
  ],
  [{ bypass: [{ suffix: 'github.io', to: ['192.0.2.1'] }] }, /public suffix/],
  [
    { upstreams: [dot, { ...dot, id: 'b', group: 'corp' }] },
    /upstreams\[1\]\.group: "b" is of the group "corp", which "groups" does not have; add it/,
  ],
  [
    { upstreams: [dot], groups: { corp: { names: ['corp.example'] } } },
    /groups\.corp: no upstream is of the group "corp", .* give one "group": "corp"/,
  ],
  [
    { upstreams: [corpDot], groups: { corp: { names: ['corp.example'] } } },
    /upstreams: every upstream is of a group, .* leave one without "group"/,
  ],
  [
    { upstreams: [dot, corpDot], groups: { corp: { names: ['.'] } } },
    /groups\.corp\.names\[0\]: "\." is the root: a group is for zones of somebody's own/,
  ],
  [
    { upstreams: [dot, corpDot], groups: { corp: { names: ['corp.example', 'co.uk'] } } },
    /groups\.corp\.names\[1\]: "co\.uk" is a public suffix/,
  ],
  [
    { upstreams: [dot, corpDot], groups: { corp: { names: ['a.example', 'A.example.'] } } },
    /groups\.corp\.names\[1\]: "a\.example" is there twice/,
  ],
  [
    {
      upstreams: [dot, corpDot, { ...dot, id: 'l', group: 'lab' }],
      groups: { corp: { names: ['a.example'] }, lab: { names: ['a.example'] } },
    },
    /groups\.lab\.names\[0\]: "a\.example" belongs to the group "corp" already/,
  ],
  [
    {
      upstreams: [dot, corpDot],
      groups: { corp: { names: ['corp.example'] } },
      bypass: [{ suffix: 'Corp.Example', to: ['192.0.2.1'] }],
    },
    /groups\.corp\.names\[0\]: "corp\.example" is also a bypass rule/,
  ],
  [
    { groups: { '-x': { names: ['corp.example'] } } },
    /"-x" is not a group's name: letters, digits/,
  ],
  [
    {
      listen: ['127.0.0.1:8853'],
      upstreams: [{ ...dot, address: '127.0.0.1', alternative: 8853 }],
    },
    /upstreams\[0\]\.alternative: 127\.0\.0\.1:8853 is Sotto itself/,
  ],
  [
    { upstreams: [{ ...dot, ca: 'missing.pem' }] },
    /upstreams\[0\]\.ca: can't read .*missing\.pem: there is no such file/,
  ],
])('%j is refused', (settings, message) => {
  folder.write('settings.json', settings);
  const { effective, problems } = load();
  expect(effective).toBeNull();
  expect(say(problems)).toEqual([expect.stringMatching(message)]);
});

test('internal suffixes are bypasses: home.arpa, a reverse zone, a name no list knows', () => {
  const to = ['192.0.2.1'];
  folder.write('settings.json', {
    bypass: ['home.arpa', '10.in-addr.arpa', 'corp', 'corp.example'].map((suffix) => ({
      suffix,
      to,
    })),
  });
  expect(say(load().problems)).toEqual([]);
});

test('a CA file is found beside the settings and must hold certificates', () => {
  folder.write('settings.json', { upstreams: [{ ...dot, ca: 'ca.pem' }] });
  folder.write('ca.pem', 'no certificate');
  expect(say(load().problems)).toEqual([expect.stringMatching(/ca\.pem holds no certificate/)]);
  folder.write('ca.pem', testCertificate.replace(/MI/, 'XX'));
  expect(say(load().problems)).toEqual([
    expect.stringMatching(/certificate 1 in ca\.pem can't be read/),
  ]);
  const file = folder.write('ca.pem', `a comment\n${testCertificate}`);
  const { effective } = load();
  expect(effective?.settings.upstreams[0]?.ca).toBe(file);
  expect(effective?.certificates.get(file)).toBe(testCertificate);
});

test('a lock beats the user and says who locked it; without a lock the user wins', () => {
  folder.write('settings.json', { cache: { entries: 1 }, queryLog: { keepDays: 1 } });
  folder.write('policy.d/10-corp.json', {
    name: 'Example Corp',
    settings: {
      'cache.entries': { value: 50, lock: true, reason: 'measured' },
      'queryLog.keepDays': { value: 50 },
      'queryLog.mode': { value: 'counts' },
    },
  });
  const { effective, overridden, policyProblems } = load();
  expect(policyProblems).toEqual([]);
  expect(effective?.settings.cache.entries).toBe(50);
  expect(effective?.settings.queryLog).toMatchObject({ keepDays: 1, mode: 'counts' });
  expect(effective?.sources['cache.entries']).toMatchObject({
    layer: 'policy',
    locked: true,
    lockedBy: 'Example Corp',
    reason: 'measured',
  });
  expect(overridden).toEqual([
    `"cache.entries" is locked by Example Corp (${folder.path}/policy.d/10-corp.json): measured.`,
  ]);
});

test('between two locks the first file wins, and the second is told', () => {
  const lock = (value: number) => ({ 'cache.entries': { value, lock: true } });
  folder.write('policy.d/20.json', { name: 'Second', settings: lock(2) });
  folder.write('policy.d/10.json', { name: 'First', settings: lock(1) });
  const { effective, policyProblems } = load();
  expect(effective?.settings.cache.entries).toBe(1);
  expect(say(policyProblems)).toEqual([
    expect.stringMatching(
      /^policy\.d\/20\.json, line \d+: settings\["cache\.entries"\]\.value: .*locked by First .*lock by Second is not in force$/,
    ),
  ]);
});

test('a bad key of a policy is reported and ignored, the others hold', () => {
  folder.write('policy.d/10.json', {
    name: 'Corp',
    settings: {
      'cache.size': { value: 1 },
      'cache.entries': { value: 'x' },
      'cache.serveStale': { valeu: true },
      bypass: { value: [{ suffix: 'com', to: ['192.0.2.1'] }] },
      'queryLog.mode': { value: 'off', lock: true },
    },
  });
  const { effective, policyProblems } = load();
  expect(effective?.settings.queryLog.mode).toBe('off');
  expect(effective?.settings.bypass).toEqual([]);
  expect(say(policyProblems)).toEqual([
    expect.stringMatching(/settings\["cache\.size"\]: there is no such setting/),
    expect.stringMatching(/settings\["cache\.entries"\]\.value: expected number/),
    expect.stringMatching(/settings\["cache\.serveStale"\]\.value: this field is missing/),
    expect.stringMatching(/settings\["cache\.serveStale"\]\.valeu: unknown field/),
    expect.stringMatching(/settings\.bypass\.value\[0\]\.suffix: "com" is a public suffix/),
  ]);
});

test('the user cannot talk a lock away by making it collide with a setting of theirs', () => {
  const upstreams = { value: [{ ...dot, address: '127.0.0.1:5301' }], lock: true };
  folder.write('policy.d/10.json', { name: 'Corp', settings: { upstreams } });
  folder.write('settings.json', { listen: ['127.0.0.1:5301'] });
  const { effective, problems, policyProblems } = load();
  expect(policyProblems).toEqual([]);
  expect(effective).toBeNull();
  expect(say(problems)).toEqual([
    expect.stringMatching(/^settings\.json, line \d: listen: 127\.0\.0\.1:5301 is Sotto itself/),
  ]);
});

test('what a policy says and the user makes impossible is shown where the policy says it', () => {
  const groups = { corp: { names: ['corp.example'] } };
  folder.write('policy.d/10.json', {
    name: 'Corp',
    settings: {
      groups: { value: groups, lock: true },
      upstreams: { value: [dot, corpDot] },
    },
  });
  folder.write('settings.json', { upstreams: [dot] });
  const { effective, problems, policyProblems } = load();
  expect([effective, policyProblems]).toEqual([null, []]);
  expect(say(problems)).toEqual([
    expect.stringMatching(
      /^policy\.d\/10\.json, line \d+: settings\.groups\.value\.corp: no upstream is of the group "corp"/,
    ),
  ]);

  const bypass = [{ suffix: 'corp.example', to: ['192.0.2.1'] }];
  folder.write('settings.json', { bypass });
  expect(say(load().problems)).toEqual([
    expect.stringMatching(/^policy\.d\/10\.json, .* is also a bypass rule/),
  ]);
});

test('a policy file that becomes unreadable keeps its locks', () => {
  folder.write('policy.d/10.json', {
    name: 'Corp',
    settings: { 'queryLog.mode': { value: 'off', lock: true } },
  });
  const before = load();
  folder.write('policy.d/10.json', '{ "name": ');
  const after = load(before);
  expect(after.effective?.settings.queryLog.mode).toBe('off');
  expect(say(after.policyProblems)[0]).toMatch(/^policy\.d\/10\.json, line 1: not valid JSON/);
  expect(load().effective?.settings.queryLog.mode).toBe('full');
});

test('the catalogue names its sources and gives each resolver both address families', () => {
  for (const { addresses, source } of catalogue) {
    expect(addresses.some((address) => address.includes(':'))).toBe(true);
    expect(addresses.some((address) => address.includes('.'))).toBe(true);
    expect(source).toMatch(/^https:\/\//);
  }
});
