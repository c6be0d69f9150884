/** Addresses that nobody on the internet serves under a public name, and those of block pages. Pure. */
import { BlockList, isIPv6 } from 'node:net';

/** Cisco's list of its block pages: https://www.cisco.com/c/en/us/support/docs/security/umbrella/224799-learn-the-umbrella-block-page-ip.html */
const umbrellaBlockPages = [104, 105, 106, 107, 108, 110].map((last) => `146.112.61.${last}`);

const ranges = [
  // "this host" (RFC 1122), to which 0.0.0.0 belongs, and loopback
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['::', 128],
  ['::1', 128],
  // private (RFC 1918), shared by customers of a provider (RFC 6598), link-local (RFC 3927)
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  // unique local (RFC 4193) and link-local (RFC 4291)
  ['fc00::', 7],
  ['fe80::', 10],
] as const;

const blocking = new BlockList();
for (const [address, bits] of ranges) blocking.addSubnet(address, bits, familyOf(address));
for (const address of umbrellaBlockPages) blocking.addAddress(address);

/** An IPv4 address written as one of IPv6 (RFC 4291, section 2.5.5.2) counts as itself. */
export function isBlockingAddress(address: string): boolean {
  return blocking.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
