/**
 * Names that are answered on this machine whatever rules say: rows of `native/engine/src/policy/special_use.rs` that yield to
 * nobody. A rule for them could never apply. (`answered-here.test.ts` compares the two.)
 */

/** By zone, with what people are told of it. */
const zones: Readonly<Record<string, string>> = {
  localhost: 'they are this machine (RFC 6761)',
  invalid: 'no such name can exist (RFC 6761)',
  onion: 'they exist only inside Tor (RFC 7686)',
  alt: 'they are not part of the DNS (RFC 9476)',
  'resolver.arpa': 'they are about the resolver that is asked (RFC 9462)',
  'use-application-dns.net': 'it tells browsers not to go around Sotto',
  '1.0.0.127.in-addr.arpa': 'it is the loopback address of this machine (RFC 6303)',
  [`1.${'0.'.repeat(31)}ip6.arpa`]: 'it is the loopback address of this machine (RFC 6303)',
};

export const zonesAnsweredHere: readonly string[] = Object.keys(zones);

/** Why every name at and below `name` is answered here; null: not every one is. */
export function whyAnsweredHere(name: string): string | null {
  const plain = name.toLowerCase().replace(/\.$/, '');
  // Almost every name is told by its last label, and a list has a hundred thousand.
  if (!lastLabels.has(plain.slice(plain.lastIndexOf('.') + 1))) return null;
  const zone = zonesAnsweredHere.find((one) => plain === one || plain.endsWith(`.${one}`));
  return zone === undefined ? null : (zones[zone] ?? null);
}

const lastLabels = new Set(zonesAnsweredHere.map((zone) => zone.slice(zone.lastIndexOf('.') + 1)));
