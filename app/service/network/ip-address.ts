/** One spelling per address, so that equal addresses compare equal. */
import {
  formatSocketAddress,
  isLinkLocal,
  parseSocketAddress,
} from '../../contract/dns/socket-address.ts';

/** RFC 5952 form; an IPv4-mapped address becomes the IPv4 address within. A zone stays as it is. */
export function canonicalIp(ip: string): string {
  if (!ip.includes(':')) return ip;
  const zone = ip.indexOf('%');
  if (zone > 0) return canonicalIp(ip.slice(0, zone)) + ip.slice(zone);
  const before = spellings.get(ip);
  if (before !== undefined) return before;
  if (spellings.size >= mostSpellings) spellings.clear();
  const canonical = spell(ip);
  spellings.set(ip, canonical);
  return canonical;
}

/** The same few addresses are compared every second. */
const spellings = new Map<string, string>();
const mostSpellings = 1024;

function spell(ip: string): string {
  const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (mapped === null) return canonical;
  return mapped
    .slice(1)
    .map((word) => Number.parseInt(word, 16))
    .flatMap((word) => [word >> 8, word & 255])
    .join('.');
}

/** "ip:port" as the engine reads it. The text must have passed the settings' validator. */
export function withPort(text: string, defaultPort: number): string {
  const address = parseSocketAddress(text);
  if (address === null) throw new TypeError(`${text} is not an address`);
  return formatSocketAddress(canonicalIp(address.ip), address.port ?? defaultPort);
}

/** A link-local address means nothing without its link (RFC 4007). */
export function onLink(ip: string, link: string | null | undefined): string {
  return link != null && isLinkLocal(ip) && !ip.includes('%') ? `${ip}%${link}` : ip;
}

/** Whether a packet to `target` would arrive at a socket bound to `listen`; both "ip:port". */
export function reaches(target: string, listen: string): boolean {
  const to = parseSocketAddress(target);
  const bound = parseSocketAddress(listen);
  if (to === null || bound === null || bound.port === 0 || to.port !== bound.port) return false;
  const [toIp, boundIp] = [canonicalIp(to.ip), canonicalIp(bound.ip)];
  if (toIp === boundIp) return true;
  const toSelf = isLoopback(toIp) || isUnspecified(toIp);
  const boundToSelf = isLoopback(boundIp) || isUnspecified(boundIp);
  return toSelf && boundToSelf && (isUnspecified(toIp) || isUnspecified(boundIp));
}

/** These two take addresses in canonical form. */
export const isLoopback = (ip: string) => ip === '::1' || /^127\./.test(ip);
export const isUnspecified = (ip: string) => ip === '::' || ip === '0.0.0.0';
