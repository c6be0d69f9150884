/** The prefix of the network through which a route leads. */

import { BlockList, isIPv6 } from 'node:net';
import { canonicalIp } from './ip-address.ts';
import type { DefaultRoute, NetworkInterface } from './kernel-network.ts';

/**
 * "192.0.2.0/24": the interface's prefix that holds the gateway; else its first of that family. Link-local prefixes say nothing
 * of a network, so for IPv6 gateways, which are link-local, the interface's other addresses decide.
 */
export function prefixHolding(
  { family, gateway }: Pick<DefaultRoute, 'family' | 'gateway'>,
  { addresses }: Pick<NetworkInterface, 'addresses'>,
): string | null {
  const own = addresses.filter(({ ip }) => isIPv6(ip) === (family === 6) && !isLinkLocal(ip));
  const holding = own.find(({ ip, prefixLength }) => {
    return gateway !== null && prefixHolds(ip, prefixLength, gateway);
  });
  const chosen = holding ?? own[0];
  return chosen === undefined ? null : networkPrefix(chosen.ip, chosen.prefixLength);
}

export function networkPrefix(ip: string, prefixLength: number): string {
  const [separator, radix, width, count] = isIPv6(ip) ? [':', 16, 16, 8] : ['.', 10, 8, 4];
  const words = wordsOf(ip).map((word, index) => {
    const kept = Math.min(Math.max(prefixLength - index * width, 0), width);
    return word & ~(2 ** (width - kept) - 1);
  });
  const text = words
    .slice(0, count)
    .map((word) => word.toString(radix))
    .join(separator);
  return `${canonicalIp(text)}/${prefixLength}`;
}

/** Whether `other` is in the prefix of `ip`; of another family it is not. */
export function prefixHolds(ip: string, prefixLength: number, other: string): boolean {
  if (isIPv6(ip) !== isIPv6(other)) return false;
  const block = new BlockList();
  const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
  block.addSubnet(ip, prefixLength, family);
  return block.check(other, family);
}

export function wordsOf(ip: string): number[] {
  if (!isIPv6(ip)) return ip.split('.').map(Number);
  const [before = '', after] = canonicalIp(ip).split('::');
  const parse = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [head, tail] = [parse(before), parse(after ?? '')];
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

const isLinkLocal = (ip: string) => /^(fe[89ab]|169\.254\.)/.test(ip);
