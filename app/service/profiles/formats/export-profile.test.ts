/** What the file of another program says of a profile, what it leaves out, and what it never protects less without being told to. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { parse } from 'plist';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isResolverAddress } from '../../../contract/dns/resolver-address.ts';
import type { UpstreamSetting } from '../../../contract/settings/upstream-settings.ts';
import { readCatalogue } from '../../settings/resolver-catalogue.ts';
import { readProfile } from '../profile-file.ts';
import { stampOf } from './exports/dnscrypt-proxy.ts';
import { type ExportFormat, exportFormats, exportProfile } from './exports/export-profile.ts';
import { type ExportSource, sourceOfMachine, sourceOfProfile } from './exports/export-source.ts';
import { readHttpsAddress } from './exports/https-address.ts';
import type { Looser } from './finding.ts';
import { importForeign } from './imports/import-foreign.ts';

const catalogue = readCatalogue();
const pin = `${'A'.repeat(43)}=`;
const near = {
  id: 'near',
  transport: 'dot' as const,
  address: ['192.0.2.1', '[2001:db8::1]:853'],
  name: 'dns.near.example',
};

function source(settings: object, more: object = {}, now = 0): ExportSource {
  const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
  const text = JSON.stringify({ ...facts, ...more, settings });
  const { profile, problems } = readProfile('p.json', Buffer.from(text));
  if (profile === null || problems.length > 0) throw new Error(JSON.stringify(problems));
  return sourceOfProfile(profile, now);
}

interface Wanted {
  allowed?: Looser[];
  doh?: string;
}

function made(format: ExportFormat, from: ExportSource, { allowed = [], doh }: Wanted = {}) {
  const https = doh === undefined ? null : readHttpsAddress(doh);
  const exported = exportProfile(from, format, { catalogue, allowed: new Set(allowed), https });
  const told = exported.findings.map(({ about, text }) => `${about}: ${text}`);
  return { ...exported, told };
}

const byTls = exportFormats.filter((format) => format !== 'dnscrypt-proxy');

test.each(byTls)('%s: every setting of the profile is in the file or told', (format) => {
  const settings = {
    upstreams: { value: [near] },
    'queryLog.mode': { value: 'counts', lock: 'hidden' },
    'cache.entries': { value: 100 },
    learnRules: { value: 'off', lock: 'locked', until: '2027-01-31T18:00:00Z' },
    bypass: { value: [{ suffix: '*', to: ['192.0.2.53'] }] },
  };
  const more = {
    notAfter: '2027-11-01T00:00:00Z',
    rollout: { percent: 10 },
    networks: [
      { match: { domain: 'corp.example' }, settings: { consent: { value: 'administrator' } } },
    ],
  };
  const { text, told } = made(format, source(settings, more));
  for (const about of [
    'queryLog.mode',
    'cache.entries',
    'learnRules',
    'bypass *',
    'notAfter',
    'rollout',
    'networks domain corp.example',
  ])
    expect(
      told.some((one) => one.startsWith(`${about}: `)),
      about,
    ).toBe(true);
  expect(told).toContainEqual(expect.stringMatching(/^learnRules: its lock is left out/));
  expect(told).toContainEqual(expect.stringMatching(/^learnRules: it ends at 2027-01-31T18:00/));
  for (const one of told) expect(text).toContain(one.replace(/-(?=-)/g, '- '));
});

test('an entry that has ended is not exported', () => {
  const settings = { upstreams: { value: [near], until: '2027-01-01T00:00:00Z' } };
  const { text } = made('stubby', source(settings, {}, Date.parse('2027-01-01T00:00:00Z')));
  expect(text).not.toContain('dns.near.example');
  expect(text).toContain(catalogue[0]?.names[0]);
});

test.each(byTls)('%s: pins that it can not compare are no reason to trust anybody', (format) => {
  const from = source({ upstreams: { value: [{ ...near, pins: [pin] }] } });
  const strict = made(format, from);
  if (format === 'stubby') {
    expect(strict.text).toContain(pin);
    return;
  }
  expect([strict.text, strict.reason]).toEqual([null, expect.stringContaining('--allow pins')]);
  expect(made(format, from, { allowed: ['pins'] }).text).toContain('dns.near.example');
});

test.each(byTls)('%s: certificates that it can not compare neither', (format) => {
  const from = source({ upstreams: { value: [{ ...near, certificatePins: [pin] }] } });
  expect(made(format, from).reason).toContain('--allow pins');
  const { text, told } = made(format, from, { allowed: ['pins'] });
  expect(text).not.toContain(pin);
  expect(told).toContainEqual(expect.stringContaining('compares no hashes of certificates'));
});

test.each([
  [{ ...near, transport: 'udp', name: undefined }, /unencrypted/],
  [{ ...near, proxy: 'socks5://127.0.0.1:9050' }, /proxy/],
  [{ ...near, name: undefined, pins: [pin] }, /pins alone|no name/],
  [{ ...near, transport: 'tdns', alternative: false }, /STARTTLS alone/],
  [{ ...near, transport: 'tdns', address: '192.0.2.1:5353' }, /STARTTLS alone/],
  [{ ...near, ca: '/etc/x.pem"\n  evil: yes' }, /absolute path|certificate authorities/],
] as const)('%j is in no file', (upstream, reason) => {
  for (const format of byTls.filter((one) => one !== 'stubby' || !('pins' in upstream))) {
    const { text, told } = made(format, source({ upstreams: { value: [upstream] } }));
    expect([format, text]).toEqual([format, null]);
    expect(told).toContainEqual(expect.stringMatching(reason));
  }
});

test.each([
  ['refuse', [], false],
  ['warn', ['opportunistic'], false],
  ['fallback', [], false],
  ['fallback', ['opportunistic'], true],
] as const)('under %s with %j it goes on unencrypted: %s', (downgrade, allowed, opportunistic) => {
  const from = source({ upstreams: { value: [near] }, downgrade: { value: downgrade } });
  const text = (format: ExportFormat) => made(format, from, { allowed: [...allowed] }).text;
  expect(text('systemd-resolved')).toContain(
    `DNSOverTLS=${opportunistic ? 'opportunistic' : 'yes'}\n`,
  );
  expect(text('networkmanager')).toContain(`dns-over-tls=${opportunistic ? 1 : 2}\n`);
  expect(text('mobileconfig')).toMatch(
    new RegExp(`<key>AllowFailover</key>\\s*<${opportunistic}/>`),
  );
  expect(text('unbound')).toContain('forward-first: no');
  expect(text('stubby')).toContain('GETDNS_AUTHENTICATION_REQUIRED');
});

test('queries that never leave unencrypted forbid an opportunistic file', () => {
  const from = source({
    upstreams: { value: [near] },
    downgrade: { value: 'fallback' },
    refuseFor: { value: [{ user: ['backup'] }] },
  });
  const { text, told } = made('systemd-resolved', from, { allowed: ['opportunistic'] });
  expect(text).toContain('DNSOverTLS=yes');
  expect(told).toContainEqual(expect.stringContaining('"refuseFor" names queries'));
});

test('names of a group go nowhere else, unless that is accepted', () => {
  const corp = {
    ...near,
    id: 'corp',
    address: '192.0.2.9',
    name: 'ns.corp.example',
    group: 'corp',
  };
  const from = source({
    upstreams: { value: [near, corp] },
    groups: { value: { corp: { names: ['corp.example'] } } },
  });
  expect(made('unbound', from).text).toContain(
    'name: "corp.example."\n    forward-tls-upstream: yes\n    forward-first: no\n    forward-addr: 192.0.2.9@853#ns.corp.example\n',
  );
  expect(made('mobileconfig', from).text).toMatch(
    /SupplementalMatchDomains<\/key>\s*<array>\s*<string>corp\.example/,
  );
  for (const format of ['stubby', 'systemd-resolved', 'networkmanager'] as const) {
    expect(made(format, from).reason).toContain('--allow groups');
    expect(made(format, from, { allowed: ['groups'] }).text).not.toContain('ns.corp.example');
  }
  const gone = source({
    upstreams: { value: [near, { ...corp, proxy: 'socks5://127.0.0.1:9050' }] },
    groups: { value: { corp: { names: ['corp.example'] } } },
  });
  expect(made('unbound', gone).reason).toContain('--allow groups');
});

test('a wide bypass rule is a downgrade, and no file gets it', () => {
  const from = source({
    upstreams: { value: [near] },
    bypass: { value: [{ suffix: 'com', to: ['192.0.2.53', 'network'], downgrade: true }] },
  });
  for (const format of byTls) expect(made(format, from).text).not.toMatch(/"com\."|<string>com</);
});

test('dnscrypt-proxy needs an address by HTTPS of an upstream of the profile', () => {
  const from = source({ upstreams: { value: [near] } });
  expect(made('dnscrypt-proxy', from).reason).toContain('--doh');
  expect(made('dnscrypt-proxy', from, { doh: 'https://evil.example/dns-query' }).reason).toContain(
    'no upstream that dnscrypt-proxy could use has the name evil.example',
  );
  const doh = 'https://DNS.near.example/dns-query';
  expect(made('dnscrypt-proxy', from, { doh }).text).toContain(
    `stamp = '${stampOf('192.0.2.1', { template: doh, host: 'dns.near.example', port: 443, path: '/dns-query' }, [])}'`,
  );
  const pinned = source({ upstreams: { value: [{ ...near, certificatePins: [pin] }] } });
  expect(made('dnscrypt-proxy', pinned, { doh }).text).toContain(
    `stamp = '${stampOf('192.0.2.1', { template: doh, host: 'dns.near.example', port: 443, path: '/dns-query' }, [pin])}'`,
  );
  expect(made('stubby', from, { doh }).reason).toContain('leave out --doh');
  expect(made('mobileconfig', from, { doh }).text).toContain(`<string>${doh}</string>`);
});

test('a stamp of DNS over HTTPS is as the draft writes it', () => {
  // draft-denis-dns-stamps: protocol, properties, address, hashes, host, path
  const https = { template: '', host: 'dns.google', port: 443, path: '/dns-query' };
  const octets = Buffer.from(stampOf('8.8.8.8', https, []).slice('sdns://'.length), 'base64url');
  expect(octets.toString('latin1')).toBe(
    `\x02${'\0'.repeat(8)}\x078.8.8.8\0\x0adns.google\x0a/dns-query`,
  );
  const zeros = '\0'.repeat(32);
  const pinned = Buffer.from(stampOf('8.8.8.8', https, [pin, pin]).slice(7), 'base64url');
  expect(pinned.toString('latin1')).toContain(`\x078.8.8.8\xa0${zeros}\x20${zeros}\x0adns.google`);
  // The address is an IP address alone; the port is the host's, and an international name in its letters.
  const other = { template: '', host: 'dns.xn--bcher-kva.example', port: 8443, path: '/q' };
  const read = Buffer.from(stampOf('2001:db8::7', other, []).slice('sdns://'.length), 'base64url');
  expect(read.toString()).toBe(
    `\x02${'\0'.repeat(8)}\x0d[2001:db8::7]\0\x18dns.bücher.example:8443\x02/q`,
  );
});

test.each([
  'http://dns.example/',
  'https://u:p@dns.example/',
  'https://dns.example/#x',
  'https://d/\n',
  "https://d/'",
])('%j is no address by HTTPS', (text) => expect(readHttpsAddress(text)).toBeNull());

test('the settings of a machine are exported as those that hold', () => {
  const layer = { name: null, file: null, reason: null };
  const from = sourceOfMachine([
    {
      key: 'upstreams',
      layers: [
        { ...layer, layer: 'user', value: [near], lock: null, inForce: true },
        { ...layer, layer: 'default', value: [], lock: null, inForce: false },
      ],
    },
    {
      key: 'downgrade',
      layers: [{ ...layer, layer: 'policy', value: 'warn', lock: 'locked', inForce: true }],
    },
  ]);
  const { text, told } = made('systemd-resolved', from);
  expect(text).toContain('DNS=192.0.2.1#dns.near.example');
  expect(told).toContainEqual(expect.stringContaining('downgrade: its lock is left out'));
});

const hostile = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });

test('no text of a profile ends a comment, begins a line or changes what the file says', () => {
  fc.assert(
    fc.property(hostile, hostile, (reason, nextName) => {
      const from = source({ upstreams: { value: [near] }, consent: { value: 'anyone', reason } });
      const odd = { ...from, name: nextName, limits: [{ field: 'rollout', value: reason }] };
      for (const format of byTls.filter((one) => one !== 'mobileconfig')) {
        const plain = withoutComments(made(format, from).text ?? '');
        expect(withoutComments(made(format, odd).text ?? '')).toBe(plain);
      }
    }),
  );
});

test.each(['<!--x-->--', '</string>', ']]>', '& "\'', 'Büro – 東京'])(
  '%j is only a name',
  (name) => {
    const { text } = made('mobileconfig', source({ upstreams: { value: [near] } }, { name }));
    expect(parse(text ?? '')).toMatchObject({ PayloadDisplayName: name, PayloadVersion: 1 });
  },
);

/** github.com/apple/device-management, mdm/profiles/com.apple.dnsSettings.managed.yaml, and its common keys of payloads. */
const payload = z.strictObject({
  PayloadType: z.literal('com.apple.dnsSettings.managed'),
  PayloadVersion: z.literal(1),
  PayloadIdentifier: z.string(),
  PayloadUUID: z.string().regex(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/),
  PayloadDisplayName: z.string(),
  ProhibitDisablement: z.boolean(),
  DNSSettings: z.union([
    z.strictObject({
      DNSProtocol: z.literal('TLS'),
      ServerName: z.string().min(1),
      ServerAddresses: z.array(z.union([z.ipv4(), z.ipv6()])).min(1),
      AllowFailover: z.boolean(),
      SupplementalMatchDomains: z.array(z.string()).min(1).optional(),
    }),
    z.strictObject({
      DNSProtocol: z.literal('HTTPS'),
      ServerURL: z.string().startsWith('https://'),
      ServerAddresses: z.array(z.union([z.ipv4(), z.ipv6()])).min(1),
      AllowFailover: z.boolean(),
    }),
  ]),
  OnDemandRules: z
    .array(
      z.strictObject({
        Action: z.literal('EvaluateConnection'),
        ActionParameters: z.array(
          z.strictObject({
            Domains: z.array(z.string()).min(1),
            DomainAction: z.literal('NeverConnect'),
          }),
        ),
      }),
    )
    .optional(),
});

test.each([undefined, 'https://dns.near.example/dns-query{?dns}'])(
  'a payload for Apple’s systems has the keys that those know (by HTTPS: %s)',
  (doh) => {
    const from = source({
      upstreams: { value: [near, { ...near, id: 'far', name: 'dns.far.example' }], lock: 'locked' },
      bypass: { value: [{ suffix: 'lan.example', to: ['network'] }] },
    });
    const { text, told } = made('mobileconfig', from, doh === undefined ? {} : { doh });
    const { PayloadContent, PayloadScope } = parse(text ?? '') as Record<string, unknown[]>;
    expect(PayloadScope).toBe('System');
    expect(PayloadContent?.map((one) => payload.parse(one))).toHaveLength(1);
    const only = 'upstream far: left out: a payload has one server, and that is near';
    expect(told.includes(only)).toBe(doh === undefined);
  },
);

test('the same profile has the same identifiers in each version', () => {
  const uuids = (serial: number) =>
    made('mobileconfig', source({ upstreams: { value: [near] } }, { serial })).text?.match(
      /[0-9A-F]{8}-[0-9A-F-]{27}/g,
    );
  expect(uuids(8)).toEqual(uuids(7));
  expect(new Set(uuids(7)).size).toBe(2);
});

function withoutComments(text: string): string {
  return text.replace(/^#.*\n/gm, '');
}

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/);
const host = fc.tuple(label, label).map((labels) => `${labels.join('.')}.example`);
const port = fc.integer({ min: 1, max: 65_535 });
const address = fc.oneof(
  fc
    .tuple(fc.ipV4(), port)
    .map(([ip, at]) => `${ip}:${at}`)
    .filter(isResolverAddress),
  fc
    .tuple(fc.integer({ min: 1, max: 65_535 }), port)
    .map(([last, at]) => `[2001:db8::${last.toString(16)}]:${at}`),
);
const pins = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((octets) => Buffer.from(octets).toString('base64'));

const upstream = fc.record({
  address: fc.uniqueArray(address, { minLength: 1, maxLength: 3 }),
  name: host,
  pins: fc.uniqueArray(pins, { maxLength: 2 }),
});

test.each(['stubby', 'unbound', 'systemd-resolved'] as const)(
  '%s: what is exported is imported as the same upstreams',
  (format) => {
    const list = fc.uniqueArray(upstream, {
      minLength: 1,
      maxLength: 4,
      selector: ({ name }) => name,
    });
    fc.assert(
      fc.property(list, (found) => {
        const given = found.map(({ pins: some, ...one }, index) => ({
          ...one,
          id: `u${index}`,
          transport: 'dot' as const,
          ...(format === 'stubby' && some.length > 0 ? { pins: some } : {}),
        }));
        const { text } = made(format, source({ upstreams: { value: given } }));
        const options = { catalogue: [], allowed: new Set<Looser>() };
        const back = importForeign(format, Buffer.from(text ?? ''), options);
        if ('reason' in back) throw new Error(back.reason);
        const plain = ({ id: _, ...one }: Partial<UpstreamSetting>) => one;
        expect(back.taken.upstreams.map(plain)).toEqual(given.map(plain));
      }),
    );
  },
);
