/** The words of a bypass rule: which names and which resolvers they mean (docs/design/split-horizon.md). */
import { whyAnsweredHere } from '../dns/answered-here.ts';
import { asciiOrSame } from '../dns/ascii-name.ts';
import { isDomainName } from '../dns/domain-name.ts';
import { readIp, whyNoPrefix } from '../dns/ip-prefix.ts';
import { isResolverAddress } from '../dns/resolver-address.ts';
import { isIPv4 } from '../dns/socket-address.ts';

/** The names that a rule's word means. */
export type RuleNames =
  /** the name and everything below it */
  | { kind: 'below'; name: string }
  | { kind: 'alone'; name: string }
  /** single labels that are no top-level domain */
  | { kind: 'single-label' }
  /** the reverse names of these addresses */
  | { kind: 'reverse'; ip: string; prefixLength: number };

/** null: no such word. Case and final dot are as written. */
export function readRuleNames(word: string): RuleNames | null {
  if (word === '*') return { kind: 'single-label' };
  if (word.includes('/')) return readPrefix(word);
  if (!word.startsWith('=')) return isDomainName(word) ? { kind: 'below', name: word } : null;
  const name = word.slice(1);
  return isDomainName(name) && name !== '.' ? { kind: 'alone', name } : null;
}

function readPrefix(word: string): RuleNames | null {
  if (whyNoPrefix(word) !== null) return null;
  const [ip = '', length] = word.split('/');
  return { kind: 'reverse', ip: ip.toLowerCase(), prefixLength: Number(length) };
}

/** What is wrong with a word that means no names, and what helps. */
export function whyNoNames(word: string): string {
  const shown = JSON.stringify(word);
  if (/^[\da-f.:]+\/\d+$/i.test(word))
    return `${shown} can not be a rule's prefix: ${whyNoPrefix(word)}`;
  const ip = readIp(word.replace(/^=/, ''));
  if (ip !== null)
    return `${shown} is an IP address, and no name: its reverse name is "${ip}/${ip.includes(':') ? 128 : 32}"`;
  return `${shown} is not a domain name such as "corp.example" (no wildcard: subdomains are included), nor "=www.corp.example" for one name alone, "*" for single labels, or a prefix such as "10.0.0.0/8" for reverse names`;
}

/** With an international name in its "xn--" form. */
export function asciiWord(word: string): string {
  return word.startsWith('=') ? `=${asciiOrSame(word.slice(1))}` : asciiOrSame(word);
}

/** Why a rule for these names could never apply; null: it can. */
export function whyNeverUsed(word: string): string | null {
  const names = readRuleNames(word);
  switch (names?.kind) {
    case 'below':
    case 'alone':
      return whyAnsweredHere(names.name);
    case 'reverse':
      return isLoopback(names) ? 'they are this machine (RFC 6303)' : null;
    default:
      return null;
  }
}

/** Its reverse name, and no other. */
function isLoopback({ ip, prefixLength }: { ip: string; prefixLength: number }): boolean {
  if (isIPv4(ip)) return prefixLength === 32 && ip === '127.0.0.1';
  return prefixLength === 128 && new URL(`http://[${ip}]`).hostname === '[::1]';
}

/** The resolvers of the network we are on, or of one link. */
const networkTarget = 'network';
const linkPrefix = 'link:';

export type RuleTarget =
  | { kind: 'network' }
  | { kind: 'link'; link: string }
  | { kind: 'address'; address: string };

/** Of a text that passed validation. */
export function readRuleTarget(text: string): RuleTarget {
  if (text === networkTarget) return { kind: 'network' };
  return text.startsWith(linkPrefix)
    ? { kind: 'link', link: text.slice(linkPrefix.length) }
    : { kind: 'address', address: text };
}

/** Interface names of Linux: up to 15 octets, neither blanks nor slashes. */
const linkTarget = /^link:[!-.0-9;-~]{1,15}$/;

export function isRuleTarget(text: string): boolean {
  if (text === lastTarget.text) return lastTarget.isOne;
  const isOne = text === networkTarget || linkTarget.test(text) || isResolverAddress(text);
  lastTarget = { text, isOne };
  return isOne;
}

/** The rules of a list all have the same. */
let lastTarget = { text: '', isOne: false };
