import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../contract/settings/settings.ts';
import { nest, type Settings } from '../../contract/settings/settings-shape.ts';
import type { EngineGroup, EngineLease } from './boundary.ts';
import { type ConfigSources, compileConfig } from './compile-config.ts';

function compile(settings: Partial<Settings>, rest: Partial<ConfigSources> = {}) {
  return compileConfig({
    identities: new Map(),
    onBattery: false,
    settings: { ...nest(defaultSettings), ...settings },
    certificates: new Map(),
    notInCleartext: new Set(),
    mode: 'private',
    network: 'any',
    networkChanges: 0,
    leases: [],
    rules: [],
    refuseFor: [],
    forwarders: [],
    groups: [],
    networkResolvers: [],
    portal: null,
    ...rest,
  });
}

const pin = `${'A'.repeat(43)}=`;
const policy: EngineLease = {
  entry: 1,
  class: 'policy',
  rule: null,
  group: '',
  until: null,
};

test.each([
  ['dot', '192.0.2.1', ['192.0.2.1:853']],
  ['tdns', '192.0.2.1', ['192.0.2.1:53']],
  ['dot', '2620:fe::fe', ['[2620:fe::fe]:853']],
  ['dot', ['192.0.2.1:8853', '[2001:DB8:0::1]:853'], ['192.0.2.1:8853', '[2001:db8::1]:853']],
] as const)('%s to %j is %j', (transport, address, addresses) => {
  const upstream = { id: 'a', transport, address: address as string | string[] };
  expect(compile({ upstreams: [upstream] }).upstreams[0]?.addresses).toEqual(addresses);
});

test('no rung in cleartext leads to whom the catalogue knows to answer nobody there', () => {
  const upstream = { id: 'a', transport: 'dot' as const, address: '192.0.2.1' };
  const other = { ...upstream, id: 'b' };
  const { upstreams } = compile(
    { upstreams: [upstream, other] },
    { notInCleartext: new Set(['a']) },
  );
  expect(upstreams.map(({ clearPort }) => clearPort)).toEqual([null, 53]);
});

const plainUpstream = {
  proxy: null,
  identity: null,
  group: '',
  clearPort: 53,
  earlyData: false,
  postQuantum: 'prefer',
  encdns: null,
};

describe('an EncDNS upstream', () => {
  const key = 'f0'.repeat(32);
  const boxed = { id: 'boxed', transport: 'encdns', zone: 'Enc.Example.', key } as const;
  const dot = { id: 'dot', transport: 'dot', address: '192.0.2.1', name: 'dns.example' } as const;
  const hopOf = (address: string | string[], networkResolvers: string[] = []) => {
    const upstreams = [{ ...boxed, address: [address].flat() }, dot];
    const compiled = compile({ upstreams }, { networkResolvers });
    return {
      hop: compiled.upstreams[0]?.encdns?.firstHop,
      ids: compiled.upstreams.map(({ id }) => id),
    };
  };

  test('has its boxes carried by the network, by addresses, or by an upstream that is asked for nothing else', () => {
    const both = ['boxed', 'dot'];
    const plain = { transport: 'udp', names: [], pins: [] };
    expect(hopOf('network', ['192.0.2.53:53'])).toMatchObject({
      hop: { ...plain, addresses: ['192.0.2.53:53'] },
      ids: both,
    });
    expect(hopOf('network')).toMatchObject({ hop: { ...plain, addresses: [] }, ids: both });
    expect(hopOf(['192.0.2.7', '[2001:db8::1]:5353'])).toMatchObject({
      hop: { ...plain, addresses: ['192.0.2.7:53', '[2001:db8::1]:5353'] },
    });
    expect(hopOf('upstream:dot')).toMatchObject({
      hop: { transport: 'dot', addresses: ['192.0.2.1:853'], names: ['dns.example'] },
      ids: ['boxed'],
    });
  });

  test('knows zone, key and when its key pair changes', () => {
    const { upstreams } = compile({
      upstreams: [{ ...boxed, address: 'network', keys: 'per-query' }],
    });
    expect(upstreams[0]).toMatchObject({
      addresses: [],
      encdns: { zone: 'enc.example', key, keys: 'per-query' },
    });
  });
});

test('an identity that can not be used is passed on with the reason', () => {
  const upstreams = ['here', 'torn', 'gone'].map((identity) => ({
    id: identity,
    transport: 'dot' as const,
    address: '192.0.2.1',
    identity,
  }));
  const identities = new Map([
    ['here', { certificate: null, pem: 'PEM', trouble: null }],
    ['torn', { certificate: null, pem: null, trouble: 'it is torn' }],
  ]);
  const compiled = compile({ upstreams }, { identities });
  expect(compiled.upstreams.map(({ identity }) => identity)).toEqual([
    { name: 'here', pem: 'PEM', trouble: '' },
    { name: 'torn', pem: null, trouble: 'it is torn' },
    { name: 'gone', pem: null, trouble: '' },
  ]);
});

test('names, pins, certificates and STARTTLS signal are spelled out', () => {
  const { upstreams } = compile(
    {
      upstreams: [
        {
          id: 'a',
          transport: 'tdns',
          address: '192.0.2.1',
          name: 'DNS.Example.',
          pins: [`sha256/${pin}`, pin],
          certificatePins: [pin],
          ca: '/ca.pem',
          starttls: 'draft',
        },
        { id: 'b', transport: 'dot', address: '192.0.2.2' },
      ],
    },
    { certificates: new Map([['/ca.pem', 'PEM']]) },
  );
  expect(upstreams).toEqual([
    {
      ...plainUpstream,
      id: 'a',
      transport: 'tdns',
      addresses: ['192.0.2.1:53'],
      names: ['dns.example'],
      pins: [pin, pin],
      certificatePins: [pin],
      ca: 'PEM',
      starttls: 'draft',
    },
    {
      ...plainUpstream,
      id: 'b',
      transport: 'dot',
      addresses: ['192.0.2.2:853'],
      names: [],
      pins: [],
      certificatePins: [],
      ca: null,
      starttls: 'compat',
    },
  ]);
});

test.each([
  ['beside a private one', ['dot', 'udp'], [], ['dot']],
  ['alone without a permission', ['tcp', 'udp'], [], []],
  ['alone with a permission', ['tcp', 'udp'], [policy], ['tcp', 'udp']],
] as const)('clear upstreams %s', (_what, transports, leases, used) => {
  const upstreams = transports.map((transport) => ({
    id: transport,
    transport,
    address: '192.0.2.1',
  }));
  expect(compile({ upstreams }, { leases }).upstreams.map(({ id }) => id)).toEqual(used);
});

const plain: EngineGroup = {
  id: '',
  names: [],
  strategy: 'ordered',
  rungs: [],
  hold: false,
  policy: 'refuse',
  when: null,
};

test('a clear upstream of a group needs a lease of that group', () => {
  const upstreams = [
    { id: 'u', transport: 'udp', address: '192.0.2.1' },
    { id: 'c', transport: 'udp', address: '192.0.2.2', group: 'corp' },
  ] as const;
  const leases = [{ ...policy, group: 'corp' }];
  const groups = [plain, { ...plain, id: 'corp' }];
  expect(compile({ upstreams: [...upstreams] }, { leases, groups }).upstreams).toMatchObject([
    { id: 'c', group: 'corp' },
  ]);
  expect(compile({ upstreams: [...upstreams] }, { leases, groups: [plain] }).upstreams).toEqual([]);
});

test('groups are spelled out', () => {
  const groups = [plain, { ...plain, id: 'corp', names: ['corp.example'] }];
  expect(compile({}, { groups }).groups).toEqual(groups);
  const holding = [{ ...plain, hold: true, rungs: ['tcp' as const] }];
  expect(compile({}, { groups: holding })).toMatchObject({ groups: holding });
});

test('the network’s resolvers are for a rung that leads to them', () => {
  const networkResolvers = ['192.0.2.53:53'];
  const tcp = { ...plain, rungs: ['tcp' as const] };
  expect(compile({}, { groups: [tcp], networkResolvers })).toMatchObject({ networkResolvers: [] });
  const network = { ...plain, rungs: ['network' as const] };
  expect(compile({}, { groups: [network], networkResolvers })).toMatchObject({ networkResolvers });
});

test.each([
  [undefined, undefined],
  [false, null],
  [8853, 8853],
] as const)('the alternative %j is %j', (alternative, compiled) => {
  const upstream = { id: 'a', transport: 'dot' as const, address: '192.0.2.1', alternative };
  expect(compile({ upstreams: [upstream] }).upstreams[0]?.alternative).toBe(compiled);
});

test('behind a proxy a name goes as it is, with its port', () => {
  const upstream = {
    id: 'a',
    transport: 'dot' as const,
    address: ['DNS.example.net', 'abc.onion:8853', '192.0.2.1'],
    proxy: 'socks5://[::1]:9050',
  };
  expect(compile({ upstreams: [upstream] }).upstreams[0]).toMatchObject({
    addresses: ['dns.example.net:853', 'abc.onion:8853', '192.0.2.1:853'],
    proxy: '[::1]:9050',
  });
});

test.each([
  [{ transport: 'dot', address: '192.0.2.1' }, 53],
  [{ transport: 'dot', address: '192.0.2.1:8853', alternative: 5353 }, 5353],
  [{ transport: 'dot', address: '192.0.2.1', alternative: false }, 53],
  [{ transport: 'tdns', address: '192.0.2.1' }, 53],
  [{ transport: 'tdns', address: ['[2001:db8::1]:5353', '192.0.2.1'], alternative: 8853 }, 5353],
] as const)('clear rungs of %j lead to the port %j', (upstream, port) => {
  const { address } = upstream;
  const setting = {
    ...upstream,
    id: 'a',
    address: typeof address === 'string' ? address : [...address],
  };
  expect(compile({ upstreams: [setting] }).upstreams[0]?.clearPort).toBe(port);
});

test('bypass suffixes, listen addresses and the rest arrive in the engine’s form', () => {
  const names = { below: ['corp.example'], alone: [], singleLabels: false };
  const corp = {
    rule: 'corp.example',
    list: null,
    names,
    to: ['192.0.2.9:53'],
    class: 'bypass' as const,
    when: null,
  };
  const mode = { direct: { class: 'off' as const, servers: ['192.0.2.53:53'] } };
  const config = compile(
    {
      listen: ['127.0.0.1:53', '[0::1]:53'],
      allowPrivate: ['Plex.Example.'],
      forwardSpecial: ['test'],
      cache: { entries: 5, serveStale: true, staleHours: 2, hotSet: 7 },
    },
    { mode, leases: [policy], rules: [corp], forwarders: ['dnsmasq.service'] },
  );
  expect(config).toEqual({
    listen: ['127.0.0.1:53', '[::1]:53'],
    mode,
    network: 'any',
    networkChanges: 0,
    upstreams: [],
    groups: [],
    networkResolvers: [],
    knownPrivate: [],
    bypass: [{ rule: 'corp.example', ...names, to: ['192.0.2.9:53'], class: 'bypass', when: null }],
    refuseFor: [],
    forwarders: ['dnsmasq.service'],
    forwardSpecial: ['test'],
    allowPrivate: ['plex.example'],
    cache: { entries: 5, serveStale: true, staleAtOnce: false, staleHours: 2, hotSet: 7 },
    portal: { resolvers: [], probes: [] },
    connections: {
      keepWarm: true,
      dialsPerHour: 60,
      spareBattery: false,
      fastOpen: true,
      ticketHours: 24,
    },
    leases: [policy],
    events: true,
    programs: true,
    audit: false,
  });
});

test.each([
  [false, false, false],
  [true, false, true],
  [true, true, false],
])('on battery %j and kept warm there %j: the battery is spared %j', (onBattery, kept, spared) => {
  const connections = { ...nest(defaultSettings).connections, keepWarmOnBattery: kept };
  expect(compile({ connections }, { onBattery }).connections.spareBattery).toBe(spared);
});
