/** An address of this machine with a port, where queries are answered. */
import { z } from 'zod';
import { isLinkLocal, isZonedIPv6, parseSocketAddress } from '../dns/socket-address.ts';

const listenAddress = z
  .string()
  .refine((text) => parseSocketAddress(text)?.port != null, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is not an address with a port, such as "127.0.0.1:5300" or "[::1]:5300"`,
    abort: true,
  })
  .refine(isWithItsLink, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is an address of one link: write which one, such as "[fe80::1%eth0]:5300"`,
  });

function isWithItsLink(text: string): boolean {
  const ip = parseSocketAddress(text)?.ip ?? '';
  return !isLinkLocal(ip) || isZonedIPv6(ip);
}

/** Each takes threads, sockets and about a megabyte. */
export const listenAddresses = z.array(listenAddress).min(1).max(16);
