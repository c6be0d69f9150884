/** Prefixes of addresses, such as 10.0.0.0/8 and 2001:db8::/32, in a browser as well. An IPv4-mapped address is an IPv4 address. */
import { isIPv4, isIPv6 } from './socket-address.ts';

/** One spelling for equal addresses (RFC 5952); null: it is none. Without a zone. */
export function readIp(text: string): string | null {
  const octets = octetsOf(text);
  return octets === null ? null : write(octets);
}

/** The same for a prefix, without the bits behind it. */
export function readIpPrefix(text: string): string | null {
  const [, ip = '', digits = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const octets = octetsOf(ip);
  if (octets === null) return null;
  const length = Number(digits) - (octets.length === 4 && ip.includes(':') ? 96 : 0);
  if (length < 0 || length > octets.length * 8) return null;
  return `${write(octets.map((octet, index) => octet & maskOf(length, index)))}/${length}`;
}

/** Why this is no prefix that says what it means; null: it is one. `text` looks like a prefix. */
export function whyNoPrefix(text: string): string | null {
  const plain = readIpPrefix(text);
  if (plain === null) return 'write it like "10.0.0.0/8" or "2001:db8::/32"';
  if (plain.includes(':') !== text.includes(':'))
    return `its addresses are those of IPv4: write "${plain}"`;
  const ip = readIp(text.slice(0, text.indexOf('/')));
  return plain.startsWith(`${ip}/`)
    ? null
    : `its address goes on behind its length: write "${plain}", or the length that is meant`;
}

/** `prefix` as `readIpPrefix` writes it. */
export function isWithin(prefix: string, ip: string): boolean {
  const [network = '', length = ''] = prefix.split('/');
  const [own, other] = [octetsOf(network), octetsOf(ip)];
  if (own === null || own.length !== other?.length) return false;
  return own.every((octet, index) => octet === ((other[index] ?? 0) & maskOf(+length, index)));
}

/** Which bits of the octet at `index` belong to a prefix. */
function maskOf(length: number, index: number): number {
  const bits = Math.min(Math.max(length - index * 8, 0), 8);
  return 256 - 2 ** (8 - bits);
}

function octetsOf(ip: string): number[] | null {
  if (isIPv4(ip)) return ip.split('.').map(Number);
  if (!isIPv6(ip)) return null;
  const octets = groupsOf(ip).flatMap((group) => [group >> 8, group & 255]);
  const isMapped = octets.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
  return isMapped ? octets.slice(12) : octets;
}

function groupsOf(ip: string): number[] {
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const read = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [read(head), read(tail)];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function write(octets: readonly number[]): string {
  if (octets.length === 4) return octets.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((octets[index * 2] ?? 0) << 8) | (octets[index * 2 + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
