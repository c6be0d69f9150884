/** Files that are nearly right: what is taken of them means what their program reads there, and the rest is left out or refused. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSocketAddress } from '../../../contract/dns/socket-address.ts';
import { readCatalogue } from '../../settings/resolver-catalogue.ts';
import { type ImportFormat, importForeign } from './imports/import-foreign.ts';

const catalogue = readCatalogue();

function read(format: ImportFormat, text: string) {
  const found = importForeign(format, Buffer.from(text), { catalogue, allowed: new Set() });
  if ('reason' in found) return { ...found, settings: null, told: [] };
  const told = found.taken.findings.map(({ about, line, text: say }) => `${line} ${about}: ${say}`);
  return { settings: found.settings, told, reason: null };
}

/** How each program writes a server with a port. */
const notations: Record<
  string,
  { sign: string; file(server: string): string; format: ImportFormat }
> = {
  unbound: {
    sign: '@',
    format: 'unbound',
    file: (server) =>
      `forward-zone:\n  name: "."\n  forward-tls-upstream: yes\n  forward-addr: ${server}\n`,
  },
  stubby: {
    sign: '',
    format: 'stubby',
    file: (server) => `upstream_recursive_servers:\n  - address_data: "${server}"\n`,
  },
  resolved: {
    sign: ':',
    format: 'systemd-resolved',
    file: (server) => `[Resolve]\nDNSOverTLS=yes\nDNS=${server}\n`,
  },
  'AdGuard Home': {
    sign: ':',
    format: 'adguard-home',
    file: (server) => `dns:\n  upstream_dns:\n    - "tls://${server}"\n`,
  },
};

interface Written {
  ip: string;
  by: string;
  port: string;
  inBrackets: boolean;
}

/** "2001:db8::7:853" is an address itself; behind "#" of unbound.conf and resolved.conf stands a name; "/" ends a URL. */
function hasOneMeaning({ ip, by, port, inBrackets }: Written): boolean {
  if (by === ':') return !ip.includes(':') || inBrackets;
  return by !== '#' && port !== '';
}

function meant({ ip, by, port, inBrackets }: Written, sign: string): object[] {
  const isPort = /^\d+$/.test(port) && Number(port) > 0 && Number(port) < 65_536;
  const needsBrackets = sign === ':' && ip.includes(':');
  if (by !== sign || !isPort || inBrackets !== needsBrackets) return [];
  return [expect.objectContaining({ address: [formatSocketAddress(ip, Number(port))] })];
}

test.each(Object.entries(notations))(
  '%s: a server is taken with the port that its program reads there, or left out',
  (_program, { sign, format, file }) => {
    const written = fc.record({
      ip: fc.constantFrom('192.0.2.7', '2001:db8::7'),
      by: fc.constantFrom('@', ':', '#', '%', '/'),
      port: fc.oneof(
        fc.integer({ min: 1, max: 65_535 }).map(String),
        fc.constantFrom('0', '65536', '99999', '+53', '0x35', '5e1', '53x', '', '53/tcp', '5.3'),
      ),
      inBrackets: fc.boolean(),
    });
    fc.assert(
      fc.property(written, (server) => {
        fc.pre(hasOneMeaning(server));
        const text = `${server.inBrackets ? `[${server.ip}]` : server.ip}${server.by}${server.port}`;
        const { settings } = read(format, file(text));
        expect({ text, found: settings?.['upstreams'] ?? [] }).toEqual({
          text,
          found: meant(server, sign),
        });
      }),
      { numRuns: 1000 },
    );
  },
);

test.each<[ImportFormat, string, RegExp]>([
  [
    'unbound',
    'forward-zone:\n  name: "a.example"\n  forward-tls-upstream: Yes\n  forward-addr: 192.0.2.1\n',
    /neither yes nor no/,
  ],
  [
    'unbound',
    'forward-zone:\n  name: "a.example"\n  name: "b.example"\n  forward-addr: 192.0.2.1\n',
    /two names/,
  ],
  ['systemd-resolved', '[Resolve]\nDNS=192.0.2.1\nDNSOverTLS=strict\n', /neither yes, nor no/],
  ['adguard-home', 'dns:\n  upstream_dns: "tls://192.0.2.1"\n', /a list should stand here/],
  [
    'stubby',
    'dns_transport_list: GETDNS_TRANSPORT_UDP\nupstream_recursive_servers: []\n',
    /a list should/,
  ],
  [
    'stubby',
    'upstream_recursive_servers:\n  - address_data: 192.0.2.1\n    tls_port: [8853]\n',
    /one value should/,
  ],
  ['dnscrypt-proxy', 'server_names = "a"\n[static.b]\nstamp = "sdns://AAA"\n', /a list should/],
])('%s: what stands for something else stops the reading: %j', (format, text, reason) => {
  expect(read(format, text).reason).toMatch(reason);
});

test('unbound.conf: what follows a value belongs to it', () => {
  const zone = (server: string) => `forward-zone: name: "a.example" forward-addr: ${server}`;
  expect(read('unbound', zone('192.0.2.1@5353 # two')).settings).toEqual({
    bypass: [{ suffix: 'a.example', to: ['192.0.2.1:5353'] }],
  });
  expect(read('unbound', zone('192.0.2.1 @5353'))).toMatchObject({
    settings: {},
    told: [expect.stringMatching(/192\.0\.2\.1 @5353 is left out/), expect.anything()],
  });
});

test('a known provider at another port keeps that port', () => {
  const { settings } = read(
    'adguard-home',
    'dns:\n  upstream_dns:\n    - "tls://dns.quad9.net:8853"\n',
  );
  const [quad9] = (settings?.['upstreams'] ?? []) as { address: string[] }[];
  expect(quad9?.address.length).toBeGreaterThan(0);
  for (const one of quad9?.address ?? []) expect(one).toMatch(/:8853$/);
  expect(
    read('adguard-home', 'dns:\n  upstream_dns:\n    - "tls://dns.quad9.net:88530"\n').settings,
  ).toEqual({});
});

test('rules for names that Sotto answers itself are left out, and international names taken', () => {
  const zone = (name: string) => `forward-zone:\n  name: "${name}"\n  forward-addr: 192.0.2.1\n`;
  const { settings, told } = read(
    'unbound',
    ['onion', 'a.localhost.', 'bücher.example'].map(zone).join(''),
  );
  expect(settings).toEqual({ bypass: [{ suffix: 'xn--bcher-kva.example', to: ['192.0.2.1:53'] }] });
  expect(told).toEqual([
    expect.stringMatching(/onion.*Tor/),
    expect.stringMatching(/localhost.*this machine/),
  ]);
});

test('an address is never taken for names, and told', () => {
  for (const [format, text] of [
    ['unbound', 'forward-zone: name: "192.0.2.1" forward-addr: 192.0.2.53'],
    ['unbound', 'forward-zone: name: "10.0.0" forward-addr: 192.0.2.53'],
    ['adguard-home', 'dns:\n  upstream_dns:\n    - "[/192.0.2.1/]192.0.2.53"\n'],
  ] as const) {
    const { settings, told } = read(format, text);
    expect(settings).toEqual({});
    expect(told.join()).toMatch(/192\.0\.2\.1.*IP address|10\.0\.0.*no.* domain name/);
  }
});

test('unbound.conf: a server of one link keeps that link, and one without is left out', () => {
  const zone = (server: string) =>
    `forward-zone: name: "." forward-tls-upstream: yes forward-addr: ${server}#dns.example`;
  expect(read('unbound', zone('fe80::1%eth0@853')).settings).toMatchObject({
    upstreams: [{ address: ['[fe80::1%eth0]:853'] }],
  });
  expect(read('unbound', zone('fe80::1@853'))).toMatchObject({
    settings: {},
    told: [expect.stringMatching(/which one/)],
  });
});

test.each([
  ['[GETDNS_TRANSPORT_TSL]', '"GETDNS_TRANSPORT_TSL" is no transport'],
  ['[GETDNS_TRANSPORT_UDP, GETDNS_TRANSPORT_TSL]', '"GETDNS_TRANSPORT_TSL" is no transport'],
  ['[GETDNS_TRANSPORT_TLS, 5]', '"5" is no transport'],
  ['[~]', 'is no transport'],
])('stubby.yml with the transports %s is unreadable', (transports, reason) => {
  const text = `dns_transport_list: ${transports}\nupstream_recursive_servers:\n  - address_data: 192.0.2.1\n`;
  const found = importForeign('stubby', Buffer.from(text), {
    catalogue,
    allowed: new Set(['cleartext']),
  });
  expect(found).toMatchObject({ reason: expect.stringContaining(reason) });
});

test('a stamp without an address is looked up in the catalogue, with its port', () => {
  const host = Buffer.from('dns.quad9.net:8853');
  const octets = Buffer.concat([Buffer.of(3, ...Array(8).fill(0), 0, 0, host.length), host]);
  const stamp = `sdns://${octets.toString('base64url')}`;
  const { settings } = read('dnscrypt-proxy', `[static.q]\nstamp = '${stamp}'\n`);
  const [quad9] = (settings?.['upstreams'] ?? []) as { address: string[] }[];
  expect(quad9?.address.length).toBeGreaterThan(0);
  for (const one of quad9?.address ?? []) expect(one).toMatch(/:8853$/);
});
