import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { parseDnsStamp } from './dns-stamp.ts';

const properties = [7, 0, 0, 0, 0, 0, 0, 0];
const hash = Array(32).fill(0xab);

const sized = (content: string | number[]) => {
  const octets = [...(typeof content === 'string' ? Buffer.from(content) : content)];
  return [octets.length, ...octets];
};
const stamp = (...octets: (number | number[])[]) =>
  `sdns://${Buffer.from(octets.flat()).toString('base64url')}`;
const dot = (address: string, host: string, hashes: number[] = [0]) =>
  stamp(3, properties, sized(address), hashes, sized(host));

test.each([
  [dot('192.0.2.1', 'dns.example'), '192.0.2.1:853', 'dns.example', 0],
  // Section 4.3.2: the port stands behind the host's name. One behind the address is an older habit.
  [dot('192.0.2.1:9000', 'DNS.example:8853'), '192.0.2.1:8853', 'dns.example', 0],
  [dot('192.0.2.1:8853', 'dns.example'), '192.0.2.1:8853', 'dns.example', 0],
  [dot('192.0.2.1', '192.0.2.1:8853'), '192.0.2.1:8853', '192.0.2.1', 0],
  [dot('192.0.2.1', 'dns.bücher.example'), '192.0.2.1:853', 'dns.xn--bcher-kva.example', 0],
  [dot('', 'dns.example:8853'), null, 'dns.example', 0],
  [dot(':853', 'dns.example'), null, 'dns.example', 0],
  [
    stamp(
      3,
      properties,
      sized(''),
      [0],
      sized('a.example'),
      [0x80 | 9],
      [...Buffer.from('192.0.2.5')],
      sized('[2001:db8::5]:53'),
    ),
    null,
    'a.example',
    0,
  ],
  [dot('[2001:db8::1]', 'dns.example:443'), '[2001:db8::1]:443', 'dns.example', 0],
  [
    dot('192.0.2.1', 'dns.example', [0x80 | 32, ...hash, 32, ...hash]),
    '192.0.2.1:853',
    'dns.example',
    2,
  ],
  [
    stamp(3, properties, sized('192.0.2.1'), [0], sized('dns.example'), sized('192.0.2.53')),
    '192.0.2.1:853',
    'dns.example',
    0,
  ],
])('%s is DNS over TLS to %s', (text, address, name, hashes) => {
  const pin = Buffer.from(hash).toString('base64');
  expect(parseDnsStamp(text)).toEqual({
    ok: true,
    value: {
      transport: 'dot',
      address,
      port: portOf(address) ?? expect.any(Number),
      name,
      certificatePins: Array(hashes).fill(pin),
      claims: { dnssec: true, noLogs: true, noFilter: true },
    },
  });
});

const portOf = (address: string | null) => parseSocketAddress(address ?? '')?.port ?? null;

test('a stamp of a provider without an address keeps its port', () => {
  for (const [text, port] of [
    [dot('', 'dns.example:8853'), 8853],
    [dot(':8854', 'dns.example'), 8854],
    [dot(':8854', 'dns.example:8853'), 8853],
    [dot('', 'dns.example'), 853],
  ] as const)
    expect(parseDnsStamp(text)).toMatchObject({ value: { address: null, port } });
});

test('a plain one is in cleartext, and says so by its transport', () => {
  const said = parseDnsStamp(stamp(0, [1, 0, 0, 0, 0, 0, 0, 0], sized('192.0.2.1')));
  expect(said).toMatchObject({
    value: {
      transport: 'udp',
      address: '192.0.2.1:53',
      name: null,
      claims: { dnssec: true, noLogs: false, noFilter: false },
    },
  });
});

test.each([
  [0x01, /for DNSCrypt, which/],
  [0x02, /for DNS over HTTPS, which/],
  [0x04, /for DNS over QUIC, which/],
  [0x05, /for Oblivious DNS over HTTPS, which/],
  [0x81, /anonymized DNSCrypt relay/],
  [0x85, /Oblivious DNS over HTTPS relay/],
  [0x7f, /protocol number 127 is not known/],
])('protocol %i is refused by its name', (protocol, message) => {
  expect(parseDnsStamp(stamp(protocol, properties, sized('x')))).toMatchObject({
    failure: { code: 'bad-stamp', message: expect.stringMatching(message) },
  });
});

test.each([
  ['', /begin with/],
  ['https://example', /begin with/],
  ['sdns://', /base64url/],
  ['sdns://AA+/', /base64url/],
  ['sdns://AwcAAAAAAAAAB', /cut|too soon/],
  [stamp(3, properties), /too soon/],
  [stamp(3, properties, [200], [...Buffer.from('192.0.2.1')]), /too soon/],
  [stamp(3, properties, sized('192.0.2.1'), [0x80]), /too soon/],
  [stamp(0, properties, sized('')), /no IP address/],
  [dot('2001:db8::1', 'dns.example'), /not an IP address/],
  [dot('[192.0.2.1]', 'dns.example'), /not an IP address/],
  [dot('192.0.2.1#853', 'dns.example'), /not an IP address/],
  [dot(':0', 'dns.example'), /not a port/],
  [dot('192.0.2.1', 'dns.example:'), /not a host name/],
  [
    stamp(3, properties, sized('192.0.2.1'), [0], sized('dns.example'), sized('nowhere')),
    /not an IP address/,
  ],
  [stamp(3, properties, sized('192.0.2.1'), [0], sized([0xff, 0x61])), /belong in no address/],
  [dot('dns.example', 'dns.example'), /not an IP address/],
  [dot('192.0.2.1:0', 'dns.example'), /port 0/],
  [dot('192.0.2.1', 'dns.example:99999'), /not a port/],
  [dot('192.0.2.1', 'bad name'), /belong in no address/],
  [dot('192.0.2.1', 'dns\u001b[2J'), /belong in no address/],
  [dot('192.0.2.1', '-dns-'), /not a host name/],
  [dot('192.0.2.1', 'dns.example', [3, 1, 2, 3]), /32 octets/],
  [stamp(0, properties, sized('192.0.2.1'), [0]), /follows its end/],
])('%s is refused', (text, message) => {
  expect(parseDnsStamp(text)).toMatchObject({
    failure: { code: 'bad-stamp', message: expect.stringMatching(message) },
  });
});

const addressForm = /^[\d.]+:\d+$|^\[[0-9a-f:.]+\]:\d+$/;

test('whatever the octets, a stamp is understood or refused', () => {
  const whole = Buffer.from(dot('192.0.2.1', 'dns.example').slice(7), 'base64url');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(whole.length), (octets, cut) => {
      for (const bytes of [Buffer.from(octets), Buffer.concat([whole.subarray(0, cut), octets])]) {
        const said = parseDnsStamp(`sdns://${bytes.toString('base64url')}`);
        if (said.ok) expect(said.value.address ?? '[::]:1').toMatch(addressForm);
        else expect(said.failure.code).toBe('bad-stamp');
      }
    }),
    { numRuns: 5000 },
  );
});

test('what is written as a stamp is read with the same meaning', () => {
  const server = fc.record({
    ip: fc.oneof(fc.ipV4(), fc.constant('[2001:db8::7]'), fc.constant('')),
    port: fc.option(fc.integer({ min: 1, max: 65_535 })),
    older: fc.option(fc.integer({ min: 1, max: 65_535 })),
    host: fc.constantFrom('dns.example', 'a.b-c.example', 'xn--bcher-kva.example'),
  });
  fc.assert(
    fc.property(server, ({ ip, port, older, host }) => {
      const behind = (number: number | null) => (number === null ? '' : `:${number}`);
      const read = parseDnsStamp(dot(`${ip}${behind(older)}`, `${host}${behind(port)}`));
      const meant = port ?? older ?? 853;
      expect(read).toMatchObject({
        value: { name: host, port: meant, address: ip === '' ? null : `${ip}:${meant}` },
      });
    }),
  );
});
