/** `ip[:port]` as people write it: 192.0.2.1, 192.0.2.1:53, 2001:db8::1, [2001:db8::1]:53, [fe80::1%eth0]:53. */
export interface SocketAddress {
  /** with its zone, where it has one */
  ip: string;
  port: number | null;
}

/** null when the text is not an address; names are never resolved. */
export function parseSocketAddress(text: string): SocketAddress | null {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return checked(isIPv6OrZoned, bracketed[1], bracketed[2]);
  if (isIPv6OrZoned(text)) return { ip: inLowerCase(text), port: null };
  const [ip, port, ...rest] = text.split(':');
  return rest.length === 0 ? checked(isIPv4, ip, port) : null;
}

export function formatSocketAddress(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

export function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return (
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && +part < 256)
  );
}

/** RFC 4291, section 2.2; without a zone. */
export function isIPv6(text: string): boolean {
  const [head = '', tail, ...rest] = text.split('::');
  if (rest.length > 0) return false;
  if (tail === undefined) return groupsIn(head, true) === 8;
  const [before, after] = [groupsIn(head, false), groupsIn(tail, true)];
  return before !== null && after !== null && before + after < 8;
}

/**
 * An address of one link, with that link's name or number: fe80::1%eth0 (RFC 4007, section 11). Of other addresses a zone says
 * nothing.
 */
export function isZonedIPv6(text: string): boolean {
  const [ip = '', zone = '', ...rest] = text.split('%');
  return rest.length === 0 && isLinkLocal(ip) && isIPv6(ip) && /^[\w.@+=~,-]{1,15}$/.test(zone);
}

/** In IPv6 (RFC 4291, section 2.5.6), with or without its zone. */
export function isLinkLocal(ip: string): boolean {
  return /^fe[89ab][\da-f]:/i.test(ip);
}

function isIPv6OrZoned(text: string): boolean {
  return text.includes('%') ? isZonedIPv6(text) : isIPv6(text);
}

/** Names of links differ by case. */
function inLowerCase(ip: string): string {
  const end = ip.indexOf('%');
  return end < 0 ? ip.toLowerCase() : ip.slice(0, end).toLowerCase() + ip.slice(end);
}

/** null: the text has other parts than groups; an IPv4 address at the end counts as two groups. */
function groupsIn(text: string, isEnd: boolean): number | null {
  if (text === '') return 0;
  const groups = text.split(':');
  const isMapped = isEnd && isIPv4(groups.at(-1) ?? '');
  const inHexadecimal = isMapped ? groups.slice(0, -1) : groups;
  if (!inHexadecimal.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null;
  return groups.length + (isMapped ? 1 : 0);
}

function checked(
  isAddress: (text: string) => boolean,
  ip: string | undefined,
  port: string | undefined,
): SocketAddress | null {
  if (ip === undefined || !isAddress(ip)) return null;
  if (port === undefined) return { ip: inLowerCase(ip), port: null };
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) return null;
  return { ip: inLowerCase(ip), port: Number(port) };
}
