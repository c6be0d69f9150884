import { expect, test } from 'vitest';
import { conditionText } from '../../contract/settings/condition.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import { someSnapshot } from '../network/fake-network-watch.ts';
import type { NetworkInterface } from '../network/kernel-network.ts';
import { identify } from '../network/network-identity.ts';
import type { LinkResolvers, NetworkSnapshot } from '../network/network-snapshot.ts';
import type { Claimed } from './link-claims.ts';
import { type ClaimAnswer, type RuleSurroundings, rulesHere } from './rules-here.ts';

const tun: NetworkInterface = {
  index: 7,
  name: 'tun0',
  up: true,
  running: true,
  kind: 'tunnel',
  mac: null,
  addresses: [],
};

function told(link: string, domains: string[], servers: string[]): LinkResolvers {
  return {
    interface: link,
    servers,
    domains: domains.map((name) => ({ name, routeOnly: true })),
    vpn: false,
    source: 'resolved',
  };
}

const vpn = told('tun0', ['corp.example'], ['10.8.0.1:53']);
const wifi = told('eth0', ['lan.example', 'com', ''], ['192.0.2.1:53']);

function withTun(links: LinkResolvers[] = [vpn, wifi]): NetworkSnapshot {
  const home = someSnapshot({ links });
  return { ...home, interfaces: [...home.interfaces, tun] };
}

interface Given extends Partial<Omit<RuleSurroundings, 'settings' | 'answerTo'>> {
  settings?: Partial<Settings>;
  answers?: Record<string, boolean>;
  justNow?: boolean;
}

function here({ settings = {}, answers = {}, justNow = false, ...rest }: Given = {}) {
  const snapshot = rest.snapshot ?? withTun();
  return rulesHere({
    settings: {
      bypass: [],
      learnRules: 'vpn',
      listen: ['127.0.0.1:53'],
      groups: {},
      refuseFor: [],
      ...settings,
    },
    who: 'your settings',
    identity: identify(snapshot),
    confirmed: true,
    here: { isNetwork: () => 'yes', now: () => 0, built: 0 },
    servers: () => ['192.0.2.99:53'],
    answerTo: ({ suffix }: Claimed): ClaimAnswer | null =>
      suffix in answers ? { believe: answers[suffix] === true, who: 'ann', justNow } : null,
    ...rest,
    snapshot,
  });
}

const words = (found: ReturnType<typeof rulesHere>) =>
  Object.fromEntries(found.rules.map(({ rule, to }) => [rule, to]));
const states = (found: ReturnType<typeof rulesHere>) =>
  Object.fromEntries(found.claims.map(({ suffix, state }) => [suffix, state]));

test('many rules for the same resolvers are one, and none of their names is left to a link', () => {
  const bypass = Array.from({ length: 100 }, (_, number) => ({
    suffix: `h${number}.corp.example`,
    to: ['network'],
  }));
  const settings = { bypass: [...bypass, { suffix: 'corp.example', to: ['network'] }] };
  const found = here({ settings });
  expect(found.rules).toHaveLength(1);
  expect(found.rules[0]).toMatchObject({
    rule: found.rules[0]?.list?.word,
    to: ['192.0.2.1:53'],
    class: 'bypass',
    reason: '101 bypass rules to network (192.0.2.1:53)',
    who: 'your settings',
  });
  expect(states(found)).toMatchObject({ 'corp.example': 'overruled' });
  const elsewhere = here({
    settings: { bypass: bypass.map((rule) => ({ ...rule, when: { network: ['office'] } })) },
    here: { isNetwork: () => 'no', now: () => 0, built: 0 },
  });
  expect(elsewhere.resting).toHaveLength(100);
  expect(elsewhere.resting[7]).toEqual({
    rule: 'h7.corp.example when network office',
    fit: 'no',
    names: { below: ['h7.corp.example'], alone: [], singleLabels: false },
  });
});

test('a VPN link brings its domains along, with what told them', () => {
  const found = here();
  expect(found.rules).toEqual([
    {
      rule: 'corp.example',
      list: null,
      names: { below: ['corp.example'], alone: [], singleLabels: false },
      to: ['10.8.0.1:53'],
      class: 'bypass',
      origin: { from: 'link', link: 'tun0', by: 'resolved' },
      when: null,
      reason: 'learned from link tun0 by systemd-resolved, to 10.8.0.1:53',
      who: 'the VPN link tun0',
    },
  ]);
  expect(states(found)).toEqual({
    'corp.example': 'believed',
    'lan.example': 'open',
    com: 'too-wide',
    '': 'too-wide',
  });
});

test('a link that claims names which Sotto answers itself gets no rule and no exception', () => {
  const claiming = told('tun0', ['onion', 'a.localhost', 'corp.example'], ['10.8.0.1:53']);
  const found = here({ snapshot: withTun([claiming]) });
  expect(states(found)).toEqual({
    onion: 'answered-here',
    'a.localhost': 'answered-here',
    'corp.example': 'believed',
  });
  expect(found.rules.map(({ rule }) => rule)).toEqual(['corp.example']);
});

test('it takes them with it: the kernel says so before any bus does', () => {
  const gone = someSnapshot({ links: [vpn] });
  expect(here({ snapshot: gone })).toEqual({
    rules: [],
    resting: [],
    refuseFor: [],
    claims: [],
  });
  const down = { ...withTun([vpn]), interfaces: [{ ...tun, up: false, running: false }] };
  expect(here({ snapshot: down }).rules).toEqual([]);
});

test('a domain without a resolver, or with none but ourselves, leads nowhere', () => {
  for (const servers of [[], ['127.0.0.1:53'], ['[fe80::1]:53']])
    expect(here({ snapshot: withTun([told('tun0', ['corp.example'], servers)]) }).claims).toEqual(
      [],
    );
});

test.each([
  ['vpn', {}, 'believed', 'open'],
  ['vpn', { 'corp.example': false, 'lan.example': false }, 'refused', 'refused'],
  ['vpn', { 'lan.example': true }, 'believed', 'believed'],
  ['ask', {}, 'open', 'open'],
  ['ask', { 'corp.example': true, 'lan.example': true }, 'believed', 'believed'],
  ['off', { 'corp.example': true, 'lan.example': true }, 'ignored', 'ignored'],
] as const)(
  'learnRules %s, answered %j: VPN %s, network %s',
  (learnRules, answers, ofVpn, ofNet) => {
    const found = here({ settings: { learnRules }, answers });
    expect(states(found)).toMatchObject({ 'corp.example': ofVpn, 'lan.example': ofNet });
    expect('corp.example' in words(found)).toBe(ofVpn === 'believed');
    expect('lan.example' in words(found)).toBe(ofNet === 'believed');
  },
);

test('a remembered yes waits until an upstream proved itself here; a no does not, nor does a VPN', () => {
  const yes = { 'lan.example': true, 'corp.example': true };
  const found = here({ settings: { learnRules: 'ask' }, answers: yes, confirmed: false });
  expect(states(found)).toMatchObject({ 'lan.example': 'unconfirmed', 'corp.example': 'believed' });
  const said = here({ answers: yes, confirmed: false, justNow: true });
  expect(states(said)).toMatchObject({ 'lan.example': 'believed' });
  const no = here({ answers: { 'lan.example': false }, confirmed: false });
  expect(states(no)).toMatchObject({ 'lan.example': 'refused' });
  const unsettled = someSnapshot({ links: [wifi], gatewayMac: null });
  expect(states(here({ snapshot: unsettled, answers: yes }))['lan.example']).toBe('unconfirmed');
});

test('the settings have the last word, and what is private by a group stays so', () => {
  const own = here({ settings: { bypass: [{ suffix: 'Corp.Example.', to: ['192.0.2.7'] }] } });
  expect(words(own)).toEqual({ 'corp.example': ['192.0.2.7:53'] });
  expect(states(own)['corp.example']).toBe('overruled');
  for (const name of ['corp.example', 'db.corp.example', 'example'])
    expect(states(here({ settings: { groups: { g: { names: [name] } } } }))['corp.example']).toBe(
      'overruled',
    );
});

test('of two links that claim one domain the VPN has it', () => {
  const both = withTun([told('eth0', ['corp.example'], ['192.0.2.1:53']), vpn]);
  const found = here({ snapshot: both, answers: { 'corp.example': true } });
  expect(words(found)).toEqual({ 'corp.example': ['10.8.0.1:53'] });
  expect(found.claims.map(({ link, state }) => [link, state])).toEqual([
    ['tun0', 'believed'],
    ['eth0', 'overruled'],
  ]);
});

test('rules lead to addresses, to a link, and to the network', () => {
  const bypass = [
    { suffix: 'a.example', to: ['192.0.2.7', 'link:tun0'] },
    { suffix: 'b.example', to: ['network'] },
    { suffix: 'c.example', to: ['link:wg9'] },
  ];
  const found = here({ settings: { bypass, learnRules: 'off' } });
  expect(words(found)).toEqual({
    'a.example': ['192.0.2.7:53', '10.8.0.1:53'],
    'b.example': ['192.0.2.1:53'],
    'c.example': [],
  });
  expect(found.rules[1]?.reason).toBe('bypass rule to network (192.0.2.1:53)');
  const untold = here({ settings: { bypass }, snapshot: someSnapshot() });
  expect(words(untold)['b.example']).toEqual(['192.0.2.99:53']);
});

test('what takes more along than a network of one’s own is a downgrade', () => {
  const wide = ['.', 'co.uk', '0.0.0.0/0', '10.0.0.0/7', '2000::/3'];
  const own = ['=co.uk', '*', '10.0.0.0/8', 'fc00::/7', '2001:db8::/16', 'corp.example'];
  const found = here({
    settings: {
      bypass: [...wide, ...own].map((suffix) => ({ suffix, to: ['192.0.2.7'], downgrade: true })),
    },
  });
  const policy = found.rules.filter((rule) => rule.class === 'policy').map(({ rule }) => rule);
  expect(policy.toSorted()).toEqual(
    ['.', 'co.uk', '0.0.0.0/0', '10.0.0.0/7', '2000::/3'].toSorted(),
  );
});

test('narrower prefixes stand behind wider ones, so that the engine takes them', () => {
  const bypass = ['10.0.0.0/10', 'x.example', '10.0.0.0/9'].map((suffix) => ({
    suffix,
    to: ['192.0.2.7'],
  }));
  const found = here({ settings: { bypass, learnRules: 'off' } });
  expect(found.rules.map(({ rule }) => rule)).toEqual(['x.example', '10.0.0.0/9', '10.0.0.0/10']);
});

test('without IPv4 the network is asked for its NAT64, unless a rule says otherwise', () => {
  const only6 = someSnapshot({ gateway: 'fe80::1', address: '2001:db8::7', links: [wifi] });
  const snapshot: NetworkSnapshot = {
    ...only6,
    defaultRoutes: only6.defaultRoutes.map((route) => ({ ...route, family: 6 })),
  };
  expect(words(here({ snapshot }))).toEqual({ 'ipv4only.arpa': ['192.0.2.1:53'] });
  const own = { suffix: 'ipv4only.arpa', to: ['192.0.2.7'] };
  expect(words(here({ snapshot, settings: { bypass: [own] } }))).toEqual({
    'ipv4only.arpa': ['192.0.2.7:53'],
  });
  expect(words(here({ snapshot: someSnapshot() }))).toEqual({});
});

const corp = { suffix: 'corp.example', to: ['192.0.2.9'] };
const evening = new Date('2026-11-23T20:00:00').getTime();

test.each([
  [{ network: ['Office'] }, 'yes', 'yes'],
  [{ network: ['Office'] }, 'unknown', 'unknown'],
  [{ network: ['Office'] }, 'no', 'no'],
  [{ hours: [{ from: '18:00', to: '22:00' }] }, 'no', 'yes'],
  [{ hours: [{ from: '22:00', to: '18:00' }] }, 'yes', 'no'],
  [{ user: ['backup'], network: ['Office'] }, 'yes', 'yes'],
] as const)('a rule when %j, on a network that fits as %s: %s', (when, network, fit) => {
  const rule = { ...corp, when: structuredClone(when) as object };
  const found = here({
    settings: { bypass: [rule] },
    here: { isNetwork: () => network, now: () => evening, built: 0 },
    snapshot: withTun([vpn]),
  });
  const names = found.rules.map((one) => one.rule);
  const resting = found.resting.map((one) => [one.rule, one.fit]);
  const word = `corp.example when ${conditionText(rule.when)}`;
  expect([names, resting]).toEqual(fit === 'yes' ? [[word], []] : [[], [[word, fit]]]);
  // its names are nobody else's while it rests
  expect(states(found)).toEqual({ 'corp.example': 'overruled' });
});

test('of rules for the same names those with a condition come last, and narrower prefixes after wider ones', () => {
  const when = { user: ['backup'] };
  const bypass = [
    { ...corp, when },
    { suffix: '10.0.0.0/10', to: ['192.0.2.9'] },
    corp,
    { suffix: '10.0.0.0/9', to: ['192.0.2.9'], when },
  ];
  expect(Object.keys(words(here({ settings: { bypass, learnRules: 'off' } })))).toEqual([
    'corp.example',
    'corp.example when user backup',
    '10.0.0.0/9 when user backup',
    '10.0.0.0/10',
  ]);
});

test('conditions of "refuseFor" count wherever they may fit', () => {
  const refuseFor = [
    { network: ['Office'] },
    { user: ['kiosk'], hours: [{ from: '08:00', to: '09:00' }] },
  ];
  const at = { isNetwork: () => 'unknown' as const, now: () => evening, built: 0 };
  expect(here({ settings: { refuseFor }, here: at }).refuseFor).toEqual([{ network: ['Office'] }]);
});
