/** What of other programs' files is taken, what is refused by name and with its line, and what no file can do. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCatalogue } from '../../settings/resolver-catalogue.ts';
import type { Looser } from './finding.ts';
import { type ImportFormat, importForeign, importFormats } from './imports/import-foreign.ts';

const catalogue = readCatalogue();

function read(format: ImportFormat, text: string | Buffer, allowed: Looser[] = []) {
  const found = importForeign(format, Buffer.from(text), { catalogue, allowed: new Set(allowed) });
  if ('reason' in found) return { ...found, settings: null, told: [] };
  const told = found.taken.findings.map(({ about, line, text: say }) => `${line} ${about}: ${say}`);
  return { settings: found.settings, told, reason: null, line: null };
}

test('stubby.yml', () => {
  const { settings, told } = read(
    'stubby',
    `resolution_type: GETDNS_RESOLUTION_STUB
dns_transport_list:
  - GETDNS_TRANSPORT_TLS
  - GETDNS_TRANSPORT_UDP
tls_authentication: GETDNS_AUTHENTICATION_NONE
round_robin_upstreams: 1
listen_addresses: [127.0.0.1]
upstream_recursive_servers:
  - address_data: 192.0.2.1
    tls_auth_name: "dns.example.net"
    tls_pubkey_pinset:
      - digest: "sha256"
        value: ${'A'.repeat(43)}=
  - address_data: 2001:db8::1
    tls_port: 8853
    tls_curves_list: x
  - address_data: nowhere.example
`,
  );
  expect(settings).toEqual({
    strategy: 'spread',
    upstreams: [
      {
        id: 'dns-example-net',
        transport: 'dot',
        address: ['192.0.2.1:853'],
        name: 'dns.example.net',
        pins: [`${'A'.repeat(43)}=`],
      },
      { id: '2001-db8-1-8853', transport: 'dot', address: ['[2001:db8::1]:8853'] },
    ],
  });
  expect(told).toEqual([
    expect.stringMatching(/^3 dns_transport_list: unencrypted transports/),
    expect.stringMatching(/^5 tls_authentication: Sotto authenticates/),
    '7 listen_addresses: left out: Sotto takes nothing from it',
    expect.stringMatching(/^16 upstream_recursive_servers\[1\]\.tls_curves_list: /),
    expect.stringMatching(/^17 upstream_recursive_servers\[2\]: .*no IP address/),
  ]);
});

test('unencrypted servers are left out, unless that is allowed', () => {
  const text = '[Resolve]\nDNS=192.0.2.1 192.0.2.2#dns.example.net\n';
  expect(read('systemd-resolved', text)).toMatchObject({
    settings: {},
    told: [expect.stringMatching(/^2 DNS 192\.0\.2\.1: .*--allow cleartext/), expect.anything()],
  });
  expect(read('systemd-resolved', text, ['cleartext']).settings).toEqual({
    upstreams: [
      { id: '192-0-2-1-53', transport: 'udp', address: ['192.0.2.1:53'] },
      { id: '192-0-2-2-53', transport: 'udp', address: ['192.0.2.2:53'] },
    ],
  });
});

test('resolved.conf: an empty assignment drops the list, and opportunistic is not taken', () => {
  const { settings, told } = read(
    'systemd-resolved',
    `# a comment
[Resolve]
DNS=198.51.100.1
DNS=
DNS=192.0.2.1#dns.example.net fe80::1%eth0#dns.example.net 192.0.2.2%eth0
DNSOverTLS=opportunistic
FallbackDNS=198.51.100.9
Domains=~.
DNSSEC=yes
`,
  );
  expect(settings).toEqual({
    upstreams: [
      {
        id: 'dns-example-net',
        transport: 'dot',
        address: ['192.0.2.1:853', '[fe80::1%eth0]:853'],
        name: 'dns.example.net',
      },
    ],
  });
  expect(told).toEqual([
    expect.stringMatching(/^7 FallbackDNS: /),
    expect.stringMatching(/^9 DNSSEC: /),
    expect.stringMatching(/^6 DNSOverTLS: "opportunistic" is not taken/),
    expect.stringMatching(/^5 DNS 192.0.2.2%eth0: .*interface/),
  ]);
});

test('dnscrypt-proxy.toml: each transport that Sotto lacks is refused by its name', () => {
  const stamp = (protocol: number, rest: string) =>
    `sdns://${Buffer.concat([Buffer.of(protocol), Buffer.alloc(8), Buffer.from(rest, 'latin1')]).toString('base64url')}`;
  const dot = stamp(3, '\x09192.0.2.1\0\x0fdns.example.net');
  const { settings, told } = read(
    'dnscrypt-proxy',
    `server_names = ['cloudflare', 'a', 'b', 'c', 'd', 'e', 'f']
forwarding_rules = 'forwarding-rules.txt'
lb_strategy = 'p2'
[static]
[static.a]
stamp = '${dot}'
[static.b]
stamp = '${stamp(1, '')}'
[static.c]
stamp = '${stamp(2, '')}'
[static.d]
stamp = '${stamp(4, '')}'
[static.e]
[static.f]
stamp = '${stamp(3, `\x09192.0.2.2\x20${'\xab'.repeat(32)}\x0fdns.example.net`)}'
[static.'not chosen']
stamp = '${dot}'
`,
  );
  expect(settings).toEqual({
    upstreams: [
      {
        id: 'dns-example-net',
        transport: 'dot',
        address: ['192.0.2.1:853'],
        name: 'dns.example.net',
      },
      {
        id: 'dns-example-net-2',
        transport: 'dot',
        address: ['192.0.2.2:853'],
        name: 'dns.example.net',
        certificatePins: [Buffer.alloc(32, 0xab).toString('base64')],
      },
    ],
  });
  expect(told).toEqual([
    expect.stringMatching(/^1 server_names cloudflare: refused: .*DNSCrypt and DNS over HTTPS/),
    expect.stringMatching(/^2 forwarding_rules: .*another file, forwarding-rules\.txt/),
    expect.stringMatching(/^3 lb_strategy: /),
    expect.stringMatching(/^8 static\.b: refused: .*DNSCrypt/),
    expect.stringMatching(/^10 static\.c: refused: .*DNS over HTTPS/),
    expect.stringMatching(/^12 static\.d: refused: .*DNS over QUIC/),
    expect.stringMatching(/^13 static\.e: left out: it has no stamp/),
    expect.stringMatching(/^16 static\.not chosen: .*does not choose it/),
  ]);
});

test('AdGuardHome.yaml', () => {
  const { settings, told } = read(
    'adguard-home',
    `http:
  address: 0.0.0.0:3000
users:
  - name: admin
    password: $2y$10$abcdefghijklmnopqrstuv
dns:
  upstream_dns:
    - tls://dns.quad9.net
    - tls://192.0.2.1
    - tls://nowhere.example
    - https://dns.example.net/dns-query
    - quic://dns.example.net
    - h3://dns.example.net/dns-query
    - '# a comment'
    - 192.0.2.2
    - '[/corp.example/lan.example/]10.0.0.53 10.0.0.54:5353'
    - '[/secret.example/]tls://192.0.2.9 10.0.0.53'
    - '[/com/]10.0.0.53'
    - '[/*.wild.example/]10.0.0.53'
  bootstrap_dns: [9.9.9.10]
  upstream_mode: parallel
schema_version: 29
`,
  );
  expect(settings).toMatchObject({
    strategy: 'race',
    upstreams: [
      { id: 'quad9', name: 'dns.quad9.net', transport: 'dot' },
      { transport: 'dot', address: ['192.0.2.1'] },
      { transport: 'dot', address: ['192.0.2.9'], group: 'secret.example' },
    ],
    groups: { 'secret.example': { names: ['secret.example'] } },
    bypass: [
      { suffix: 'corp.example', to: ['10.0.0.53', '10.0.0.54:5353'] },
      { suffix: 'lan.example', to: ['10.0.0.53', '10.0.0.54:5353'] },
    ],
  });
  expect(told.join('\n')).not.toContain('$2y$');
  expect(told).toEqual([
    expect.stringMatching(/^2 http: /),
    expect.stringMatching(/^4 users: /),
    expect.stringMatching(/^10 .*upstream_dns\[2\]: .*no IP address/),
    expect.stringMatching(/^11 .*refused: DNS over HTTPS is a transport/),
    expect.stringMatching(/^12 .*refused: DNS over QUIC/),
    expect.stringMatching(/^13 .*refused: DNS over HTTPS with HTTP\/3/),
    expect.stringMatching(/^15 .*--allow cleartext/),
    expect.stringMatching(/^17 .*10\.0\.0\.53 is left out: it is unencrypted/),
    expect.stringMatching(/^18 names below com: .*a public suffix is a downgrade/),
    expect.stringMatching(/^19 .*only domains/),
    expect.stringMatching(/^20 dns\.bootstrap_dns: /),
  ]);
});

test('unbound.conf', () => {
  const { settings, told } = read(
    'unbound',
    `# forward
server:
    verbosity: 1
    tls-cert-bundle: "/etc/ssl/corp.pem"
include: "/etc/unbound/more.conf"
forward-zone:
    name: "."
    forward-tls-upstream: yes
    forward-first: yes
    forward-addr: 192.0.2.1@853#dns.example.net # the first
    forward-addr: 192.0.2.1@8853#dns.example.net
    forward-host: dns.example.org
forward-zone: name: "corp.example" forward-addr: 10.0.0.53
stub-zone:
    name: "stub.example"
    stub-addr: 10.0.0.54
`,
  );
  expect(settings).toEqual({
    upstreams: [
      {
        id: 'dns-example-net',
        transport: 'dot',
        address: ['192.0.2.1:853', '192.0.2.1:8853'],
        name: 'dns.example.net',
        ca: '/etc/ssl/corp.pem',
      },
    ],
    bypass: [{ suffix: 'corp.example', to: ['10.0.0.53:53'] }],
  });
  expect(told).toEqual([
    expect.stringMatching(/^5 include: .*another file/),
    expect.stringMatching(/^3 server: verbosity: /),
    expect.stringMatching(/^6 forward-zone \.: "forward-first" is not taken/),
    expect.stringMatching(/^12 forward-zone \.: dns\.example\.org is left out/),
    expect.stringMatching(/^14 stub-zone: .*authoritative/),
  ]);
});

const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
  .split('')
  .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]\n`)
  .join('')}`;

test.each([
  ['stubby', '', /empty/, 1],
  ['stubby', 'a: [', /not valid YAML/, 1],
  ['stubby', 'a: 1\na: 2\n', /not valid YAML: Map keys must be unique/, 2],
  ['stubby', bomb, /an alias/, 2],
  ['stubby', '['.repeat(100_000), /nested too deeply/, null],
  ['stubby', '- '.repeat(50_000), /nested too deeply/, null],
  ['stubby', '{a: '.repeat(50_000), /nested too deeply/, null],
  ['stubby', Buffer.from('a: \xff\n', 'latin1'), /not UTF-8/, 1],
  ['stubby', 'a: b\n\0', /NUL/, 2],
  ['stubby', 'x'.repeat(10_000_000), /larger than/, null],
  ['dnscrypt-proxy', 'a = [', /not valid TOML/, 1],
  ['dnscrypt-proxy', 'a = 1\na = 2\n', /not valid TOML/, 2],
  ['dnscrypt-proxy', `a = ${'['.repeat(100_000)}`, /nested too deeply/, null],
  ['dnscrypt-proxy', `a = ${'{b = '.repeat(50_000)}`, /nested too deeply|not valid/, null],
  ['unbound', 'nonsense', /expected "name: value"/, 1],
  ['unbound', 'name: "."', /outside of every clause/, 1],
  ['systemd-resolved', '[Resolve]\nnonsense', /neither a section/, 2],
] as const)('%s: %.20s is refused with its place', (format, text, reason, line) => {
  const found = read(format, text as string);
  expect(found.reason).toMatch(reason);
  if (line !== null) expect(found.line).toBe(line);
});

test.each(importFormats)('%s: whatever stands in it, a value or a reason comes back', (format) => {
  const words = fc.constantFrom(
    ...['server:', 'forward-zone:', 'name: "."', 'forward-addr: 192.0.2.1@853#a.example', '#', '"'],
    ...[
      '[Resolve]',
      'DNS=',
      '192.0.2.1#x',
      '[static]',
      "[static.'a']",
      'stamp = ',
      "'sdns://AgcA'",
    ],
    ...[
      'dns:',
      '  upstream_dns:',
      '  - ',
      'tls://',
      '[/a.example/]',
      '[//]',
      ':',
      '\n',
      ' ',
      '=',
      '{',
      '[',
      '&a ',
      '*a',
      '__proto__',
      '!!js/function',
      '<<: ',
      '\t',
    ],
  );
  const text = fc
    .array(fc.oneof(words, fc.string()), { maxLength: 40 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (given) => {
      const { settings, reason } = read(format, given);
      expect(settings === null).toBe(reason !== null);
      for (const { transport } of (settings?.upstreams ?? []) as { transport: string }[])
        expect(transport).toBe('dot');
    }),
    { numRuns: 300 },
  );
  expect(({} as Record<string, unknown>).upstreams).toBeUndefined();
});
