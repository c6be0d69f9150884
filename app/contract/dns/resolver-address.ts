/** Addresses at which a resolver can be: those of one machine, that a packet can be sent to. */
import { readIp } from './ip-prefix.ts';
import { isLinkLocal, isZonedIPv6, parseSocketAddress } from './socket-address.ts';

/** `text`: an address with or without a port. */
export function isResolverAddress(text: string): boolean {
  const address = parseSocketAddress(text);
  return address !== null && address.port !== 0 && whyNoResolver(text) === null;
}

/** null: one can be there, or the text is no address. Says what to write instead. */
export function whyNoResolver(text: string): string | null {
  const ip = parseSocketAddress(text)?.ip ?? '';
  const plain = readIp(ip) ?? '';
  if (isLinkLocal(ip) && !isZonedIPv6(ip))
    return 'it is an address of one link: write which one, such as "fe80::1%eth0"';
  if (plain === '::' || /^0\./.test(plain)) return 'it is the address of no machine';
  if (/^ff/.test(plain) || /^(22[4-9]|23\d)\./.test(plain) || plain === '255.255.255.255')
    return 'it is the address of many machines, and a resolver is one';
  return null;
}
