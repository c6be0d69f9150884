/** Suffixes in rules: how they are compared, and which of them are too wide for one. Pure. */
import { publicSuffixList } from '../base/public-suffix-list.ts';

/** "Corp.Example." to "corp.example"; the root to the empty name. */
export function normalSuffix(suffix: string): string {
  return suffix.toLowerCase().replace(/\.$/, '');
}

/** Public suffixes that are internal by design: RFC 8375. */
const internalSuffixes = new Set(['home.arpa']);

/** What a rule for all of `name` would take with it; null where the zone may belong to one network. `name` is normal. */
export function tooWide(name: string): 'the root' | 'a public suffix' | null {
  if (name === '') return 'the root';
  return isPublicSuffix(name) && !internalSuffixes.has(name) ? 'a public suffix' : null;
}

/** The name is one: nothing around it, no address, no other characters. */
const asItIs = {
  allowPrivateDomains: true,
  detectIp: false,
  extractHostname: false,
  validateHostname: false,
};

/** Suffixes the list does not know, such as "corp" or "lan", are internal ones. */
function isPublicSuffix(name: string): boolean {
  const { isIcann, isPrivate, publicSuffix } = publicSuffixList().parse(name, asItIs);
  return (isIcann === true || isPrivate === true) && publicSuffix === name;
}
