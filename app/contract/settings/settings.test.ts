import { expect, test } from 'vitest';
import { defaultSettings } from './settings.ts';
import { nest, type Settings, settingsFile, settingsJsonSchema } from './settings-shape.ts';
import { readIssues, writePath } from './validation-issues.ts';

test('the defaults, nested, are a valid settings file', () => {
  const nested: Settings = nest(defaultSettings);
  expect(nested.cache).toEqual({ entries: 100_000, serveStale: false, staleHours: 24, hotSet: 0 });
  expect(settingsFile.safeParse(nested).error).toBeUndefined();
});

test('the JSON Schema knows every group, refuses unknown fields and explains itself', () => {
  const schema = settingsJsonSchema() as {
    additionalProperties: boolean;
    properties: Record<string, { title?: string; properties?: Record<string, { title: string }> }>;
  };
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties['listen']?.title).toBe('Listen on');
  expect(schema.properties['queryLog']?.properties?.['keepDays']?.title).toBe('Keep queries for');
});

test.each([
  ['an unknown field', { cash: {} }, /Unrecognized key: "cash"/],
  ['an unknown nested field', { cache: { size: 1 } }, /Unrecognized key: "size"/],
  ['a listen address without port', { listen: ['127.0.0.1'] }, /not an address with a port/],
  [
    'an unknown downgrade policy',
    { downgrade: 'maybe' },
    /"maybe" is not a downgrade policy: refuse, warn, fallback/,
  ],
  ['an unknown rung', { rungs: ['tcp', 'doh'] }, /"doh" is not a rung: unauthenticated, tcp, udp/],
  ['a rung twice', { rungs: ['tcp', 'tcp'] }, /a rung is there twice/],
  ['a group without names', { groups: { corp: { names: [] } } }, /Too small/],
  ['a group with an unknown field', { groups: { corp: { names: ['a.b'], x: 1 } } }, /Unrecognized/],
  [
    'an alternative way without TLS',
    { upstreams: [{ id: 'a', transport: 'udp', address: '192.0.2.1', alternative: 853 }] },
    /udp has no TLS, so "alternative" would protect nothing/,
  ],
  [
    'a name that no proxy looks up',
    { upstreams: [{ id: 'a', transport: 'dot', address: ['192.0.2.1', 'dns.example.net:853'] }] },
    /"dns.example.net:853" is not an IP address.*a host name needs a "proxy"/,
  ],
  [
    'a proxy without TLS',
    {
      upstreams: [
        { id: 'a', transport: 'tcp', address: '192.0.2.1', proxy: 'socks5://127.0.0.1:9050' },
      ],
    },
    /tcp has no TLS: whoever runs the proxy.*remove "proxy"/,
  ],
  [
    'a proxy of another kind',
    {
      upstreams: [
        { id: 'a', transport: 'dot', address: '192.0.2.1', proxy: 'http://127.0.0.1:3128' },
      ],
    },
    /is not a SOCKS5 proxy/,
  ],
  [
    'a port beyond the last',
    {
      upstreams: [
        { id: 'a', transport: 'dot', address: 'a.test:70000', proxy: 'socks5://127.0.0.1:9050' },
      ],
    },
    /"a.test:70000" is not an IP address/,
  ],
  [
    'an alternative that is no port',
    { upstreams: [{ id: 'a', transport: 'dot', address: '192.0.2.1', alternative: true }] },
    /true is neither false nor a port/,
  ],
  [
    'no address',
    { upstreams: [{ id: 'a', transport: 'dot', name: 'a.test' }] },
    /expected string, received undefined|Invalid input/,
  ],
  [
    'an unsupported transport',
    { upstreams: [{ id: 'a', transport: 'doh', address: '192.0.2.1' }] },
    /transport "doh" is not available/,
  ],
  [
    'a host name as address',
    { upstreams: [{ id: 'a', transport: 'udp', address: 'dns.test' }] },
    /not an IP address with an optional port/,
  ],
  [
    'a pin on plain UDP',
    { upstreams: [{ id: 'a', transport: 'udp', address: '192.0.2.1', pins: [] }] },
    /udp has no TLS/,
  ],
  [
    'a broken pin',
    { upstreams: [{ id: 'a', transport: 'dot', address: '192.0.2.1', pins: ['abc'] }] },
    /not a pin/,
  ],
  [
    'pinned certificates of plain UDP',
    { upstreams: [{ id: 'a', transport: 'udp', address: '192.0.2.1', certificatePins: [] }] },
    /udp has no TLS/,
  ],
  [
    'a broken hash of a certificate',
    { upstreams: [{ id: 'a', transport: 'dot', address: '192.0.2.1', certificatePins: ['ab'] }] },
    /not the hash of a certificate/,
  ],
  [
    'a wildcard suffix',
    { bypass: [{ suffix: '*.corp.example', to: ['192.0.2.1'] }] },
    /no wildcard/,
  ],
  ['a bypass without target', { bypass: [{ suffix: 'corp.example', to: [] }] }, /Too small/],
])('%s is refused', (_what, file, message) => {
  const error = settingsFile.safeParse(file).error;
  expect(error?.issues.map((issue) => issue.message).join('\n')).toMatch(message);
});

test('addresses, names and pins are accepted in each documented form', () => {
  const pin = `${'A'.repeat(43)}=`;
  const file = {
    upstreams: [
      {
        id: 'a',
        transport: 'dot',
        address: ['9.9.9.9', '[2620:fe::fe]:853', '2620:fe::9'],
        name: ['dns.quad9.net', '9.9.9.9'],
      },
      {
        id: 'b',
        transport: 'tdns',
        address: '192.0.2.1:53',
        pins: [pin, `sha256/${pin}`],
        ca: 'ca.pem',
        starttls: 'draft',
      },
      { id: 'c', transport: 'tcp', address: '192.0.2.1' },
      { id: 'd', transport: 'dot', address: '192.0.2.1', group: 'corp', alternative: false },
    ],
    downgrade: 'fallback',
    rungs: ['udp', 'network'],
    groups: { corp: { names: ['corp.example'], downgrade: 'refuse', strategy: 'race' } },
    systemResolvers: ['192.0.2.53', '2001:db8::53'],
  };
  expect(settingsFile.safeParse(file).error).toBeUndefined();
});

const upstream = (more: object = {}) => ({
  ...{ id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' },
  ...more,
});
const times = <Item>(count: number, item: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at));
const pin = `${'A'.repeat(43)}=`;

test.each<[what: string, most: number, file: (count: number) => object]>([
  ['listen', 16, (count) => ({ listen: times(count, (at) => `127.0.0.1:${5000 + at}`) })],
  ['upstreams', 256, (count) => ({ upstreams: times(count, (at) => upstream({ id: `u${at}` })) })],
  [
    'upstreams[0].address',
    32,
    (count) => ({ upstreams: [upstream({ address: times(count, () => '192.0.2.1') })] }),
  ],
  [
    'upstreams[0].name',
    32,
    (count) => ({ upstreams: [upstream({ name: times(count, () => 'a.test') })] }),
  ],
  [
    'upstreams[0].pins',
    32,
    (count) => ({ upstreams: [upstream({ pins: times(count, () => pin) })] }),
  ],
  [
    'upstreams[0].certificatePins',
    32,
    (count) => ({ upstreams: [upstream({ certificatePins: times(count, () => pin) })] }),
  ],
  [
    'groups',
    256,
    (count) => ({
      groups: Object.fromEntries(times(count, (at) => [`g${at}`, { names: ['a.example'] }])),
    }),
  ],
  [
    'groups.corp.names',
    50_000,
    (count) => ({ groups: { corp: { names: times(count, () => 'a.example') } } }),
  ],
  [
    'bypass[0].to',
    32,
    (count) => ({ bypass: [{ suffix: 'corp.example', to: times(count, () => '192.0.2.1') }] }),
  ],
  ['allowPrivate', 10_000, (count) => ({ allowPrivate: times(count, () => 'corp.example') })],
  ['forwardSpecial', 10_000, (count) => ({ forwardSpecial: times(count, () => 'test') })],
  ['systemResolvers', 32, (count) => ({ systemResolvers: times(count, () => '192.0.2.1') })],
])('%s has at most %d entries, and the error says so', (what, most, file) => {
  expect(settingsFile.safeParse(file(most)).error).toBeUndefined();
  const { error } = settingsFile.safeParse(file(most + 1));
  const issues = error === undefined ? [] : readIssues(error);
  expect(issues.map(({ path, reason }) => `${writePath(path)}: ${reason}`)).toEqual([
    `${what}: ${what === 'systemResolvers' ? 'must be "auto" or a list of at most 32 IP addresses with optional ports' : `has more than ${most} entries; remove some`}`,
  ]);
});

test('as many rules as a company has are taken', () => {
  const bypass = times(40_000, (at) => ({ suffix: `h${at}.corp.example`, to: ['192.0.2.1'] }));
  expect(settingsFile.safeParse({ bypass }).success).toBe(true);
});
