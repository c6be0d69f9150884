/**
 * DNS stamps (draft-denis-dns-stamps): sdns:// and base64url of a protocol number, properties and length-prefixed fields.
 * What they say is a stranger's: every length is checked, and a stamp is understood whole or refused. Pure.
 */

import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { authenticationName } from '../../contract/settings/upstream-settings.ts';

export interface DnsStamp {
  transport: 'dot' | 'udp';
  /** ip:port; null: its name has to be known from elsewhere, because Sotto looks up no names of servers */
  address: string | null;
  port: number;
  /** what the certificate must carry; null: a plain resolver */
  name: string | null;
  /** base64 SHA-256 of the TBSCertificate of certificates, of which one has to be in the chain; empty: no matter which */
  certificatePins: string[];
  /** what the stamp claims of the server */
  claims: { dnssec: boolean; noLogs: boolean; noFilter: boolean };
}

/** Numbers of the draft, with the names by which an unsupported one is refused. */
const protocols: Readonly<Record<number, string>> = {
  0: 'plain DNS',
  1: 'DNSCrypt',
  2: 'DNS over HTTPS',
  3: 'DNS over TLS',
  4: 'DNS over QUIC',
  5: 'Oblivious DNS over HTTPS',
  129: 'an anonymized DNSCrypt relay',
  133: 'an Oblivious DNS over HTTPS relay',
};

const scheme = 'sdns://';

class Malformed extends Error {}

export function parseDnsStamp(text: string): Result<DnsStamp> {
  try {
    const fields = new Fields(decode(text.trim()));
    const protocol = fields.octet();
    if (protocol === 0x00) return readPlain(fields);
    if (protocol === 0x03) return readTls(fields);
    const named = protocols[protocol];
    if (named === undefined) throw new Malformed(`protocol number ${protocol} is not known`);
    return fail(
      'bad-stamp',
      `the stamp is for ${named}, which Sotto does not speak in this version`,
      'use a stamp of DNS over TLS (protocol 3) or of plain DNS (protocol 0)',
      'stamp',
    );
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return fail(
      'bad-stamp',
      `that is no DNS stamp: ${error.message}`,
      'copy the whole stamp, from "sdns://" to its end',
      'stamp',
    );
  }
}

function readPlain(fields: Fields): Result<DnsStamp> {
  const claims = fields.claims();
  const { ip, port } = readAddress(fields.text());
  fields.end();
  if (ip === null) throw new Malformed('it has no IP address');
  return succeed({
    transport: 'udp',
    ...at(ip, port ?? 53),
    name: null,
    certificatePins: [],
    claims,
  });
}

function readTls(fields: Fields): Result<DnsStamp> {
  const claims = fields.claims();
  const given = fields.text();
  const hashes = fields.list().filter((hash) => hash.length > 0);
  if (hashes.some((hash) => hash.length !== 32))
    throw new Malformed('a certificate hash is not 32 octets long');
  const { name, port } = readHost(fields.text());
  // Resolvers to find the address with: we look up no names.
  for (const one of fields.atEnd() ? [] : fields.list()) readAddress(asText(one));
  fields.end();
  const address = readAddress(given);
  const place = at(address.ip, port ?? address.port ?? 853);
  const certificatePins = hashes.map((hash) => hash.toString('base64'));
  return succeed({ transport: 'dot', ...place, name, certificatePins, claims });
}

function at(ip: string | null, port: number): Pick<DnsStamp, 'address' | 'port'> {
  return { address: ip === null ? null : formatSocketAddress(ip, port), port };
}

/** Section 5.4: an international name is in its own letters. */
function readHost(host: string): { name: string; port: number | null } {
  const [, given = '', port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(host) ?? [];
  const name = authenticationName.safeParse(given);
  if (!name.success) throw new Malformed(`${JSON.stringify(given)} is not a host name`);
  return { name: name.data.toLowerCase(), port: port === undefined ? null : readPort(port) };
}

/** "192.0.2.1", "[2001:db8::1]:853"; a port alone, or nothing, leaves the address to be found by the name. */
function readAddress(text: string): { ip: string | null; port: number | null } {
  if (text === '') return { ip: null, port: null };
  const [, alone] = /^:(\d{1,5})$/.exec(text) ?? [];
  if (alone !== undefined) return { ip: null, port: readPort(alone) };
  const parsed = parseSocketAddress(text);
  // Section 4.1.2: without brackets nobody could tell an address from one with a port.
  if (parsed === null || (parsed.ip.includes(':') && !text.startsWith('[')))
    throw new Malformed(`${JSON.stringify(text)} is not an IP address`);
  if (parsed.port === 0) throw new Malformed('port 0 is none');
  return parsed;
}

function readPort(text: string): number {
  const port = Number(text);
  if (port < 1 || port > 65_535) throw new Malformed(`${text} is not a port`);
  return port;
}

function decode(text: string): Buffer {
  if (!text.toLowerCase().startsWith(scheme))
    throw new Malformed(`it does not begin with ${scheme}`);
  const encoded = text.slice(scheme.length).replace(/=+$/, '');
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) throw new Malformed('it is not base64url');
  const octets = Buffer.from(encoded, 'base64url');
  if (octets.toString('base64url') !== encoded) throw new Malformed('its last character is cut');
  return octets;
}

function asText(octets: Buffer): string {
  const text = octets.toString('utf8');
  if (!Buffer.from(text).equals(octets) || /[\s\p{C}]/u.test(text))
    throw new Malformed('a field holds characters that belong in no address or name');
  return text;
}

/** Read from left to right; what is missing or left over is an error. */
class Fields {
  readonly #octets: Buffer;
  #at = 0;

  constructor(octets: Buffer) {
    this.#octets = octets;
  }

  octet(): number {
    return this.#take(1).readUInt8();
  }

  claims(): DnsStamp['claims'] {
    const [bits = 0] = this.#take(8);
    return { dnssec: (bits & 1) !== 0, noLogs: (bits & 2) !== 0, noFilter: (bits & 4) !== 0 };
  }

  text(): string {
    return asText(this.#take(this.octet()));
  }

  /** The high bit of a length says that another one follows. */
  list(): Buffer[] {
    const items: Buffer[] = [];
    for (;;) {
      const length = this.octet();
      items.push(this.#take(length & 0x7f));
      if ((length & 0x80) === 0) return items;
    }
  }

  atEnd(): boolean {
    return this.#at === this.#octets.length;
  }

  end(): void {
    if (!this.atEnd()) throw new Malformed('something follows its end');
  }

  #take(count: number): Buffer {
    const taken = this.#octets.subarray(this.#at, this.#at + count);
    if (taken.length < count) throw new Malformed('it ends too soon');
    this.#at += count;
    return taken;
  }
}
