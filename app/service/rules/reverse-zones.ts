/** The zones that hold the reverse names of a prefix (RFC 1035 section 3.5, RFC 3596 section 2.5). Pure. */
import { isIPv4 } from '../../contract/dns/socket-address.ts';
import { networkPrefix, wordsOf } from '../network/prefix.ts';

/** Several where the prefix ends inside a label: "172.16.0.0/12" is sixteen zones. At most 128. */
export function reverseZones(ip: string, prefixLength: number): string[] {
  const [bitsOfLabel, radix, top] = isIPv4(ip) ? [8, 10, 'in-addr.arpa'] : [4, 16, 'ip6.arpa'];
  const labels = labelsOf(networkPrefix(ip, prefixLength).split('/')[0] ?? ip);
  const whole = Math.floor(prefixLength / bitsOfLabel);
  const above = labels.slice(0, whole).map((label) => label.toString(radix));
  const zone = (lower: string[]) => [...lower, ...above.toReversed(), top].join('.');
  const bits = prefixLength % bitsOfLabel;
  if (bits === 0) return [zone([])];
  const first = labels[whole] ?? 0;
  return Array.from({ length: 2 ** (bitsOfLabel - bits) }, (_, index) =>
    zone([(first + index).toString(radix)]),
  );
}

/** Octets of an IPv4 address, nibbles of an IPv6 one. */
function labelsOf(ip: string): number[] {
  const words = wordsOf(ip);
  return isIPv4(ip)
    ? words
    : words.flatMap((word) => [word >> 12, (word >> 8) & 15, (word >> 4) & 15, word & 15]);
}
