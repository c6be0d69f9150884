/** `ip[:port]` as people write it: 192.0.2.1, 192.0.2.1:53, 2001:db8::1, [2001:db8::1]:53. */
import { z } from 'zod';

export interface SocketAddress {
  ip: string;
  port: number | null;
}

/** null when the text is not an address; names are not resolved here, or anywhere. */
export function parseSocketAddress(text: string): SocketAddress | null {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return checked(isIPv6, bracketed[1], bracketed[2]);
  if (isIPv6(text)) return { ip: text.toLowerCase(), port: null };
  const [ip, port, ...rest] = text.split(':');
  return rest.length === 0 ? checked(isIPv4, ip, port) : null;
}

export function formatSocketAddress(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

export const isIPv4 = (text: string) => z.ipv4().safeParse(text).success;
export const isIPv6 = (text: string) => z.ipv6().safeParse(text).success;

function checked(
  isAddress: (text: string) => boolean,
  ip: string | undefined,
  port: string | undefined,
): SocketAddress | null {
  if (ip === undefined || !isAddress(ip)) return null;
  if (port === undefined) return { ip: ip.toLowerCase(), port: null };
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) return null;
  return { ip: ip.toLowerCase(), port: Number(port) };
}
