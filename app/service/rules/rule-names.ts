/** The word of a rule, parsed: one spelling for equal words, the names for the engine, and whether it is too wide. Pure. */

import { isIPv4 } from '../../contract/dns/socket-address.ts';
import { asciiWord, type RuleNames, readRuleNames } from '../../contract/settings/rule-words.ts';
import { networkPrefix, prefixHolds } from '../network/prefix.ts';
import { normalSuffix, tooWide } from '../settings/domain-suffix.ts';
import { reverseZones } from './reverse-zones.ts';

/** "Corp.Example." to "corp.example", "10.1.2.3/8" to "10.0.0.0/8"; the root to ".". */
export function normalWord(word: string): string {
  if (isNormalName.test(word)) return word;
  const names = readRuleNames(asciiWord(word));
  return names === null ? word : wordOf(names);
}

/** Most words are spelled so already. */
const isNormalName = /^[a-z0-9_.-]*[a-z0-9_-]$/;

export function wordOf(names: RuleNames): string {
  switch (names.kind) {
    case 'below':
      return normalSuffix(names.name) || '.';
    case 'alone':
      return `=${normalSuffix(names.name)}`;
    case 'single-label':
      return '*';
    case 'reverse':
      return networkPrefix(names.ip, names.prefixLength);
  }
}

/** The form for the engine. */
export interface MatchedNames {
  /** with everything below */
  below: string[];
  alone: string[];
  singleLabels: boolean;
}

export function matchedNames(names: RuleNames): MatchedNames {
  const none = { below: [], alone: [], singleLabels: false };
  switch (names.kind) {
    case 'below':
      return { ...none, below: [normalSuffix(names.name) || '.'] };
    case 'alone':
      return { ...none, alone: [normalSuffix(names.name)] };
    case 'single-label':
      return { ...none, singleLabels: true };
    case 'reverse':
      return { ...none, below: reverseZones(names.ip, names.prefixLength) };
  }
}

/** Whether a name is among them; `name` in any spelling. */
export function isAmong(name: string, { below, alone, singleLabels }: MatchedNames): boolean {
  const normal = normalSuffix(name);
  return (
    alone.includes(normal) ||
    (singleLabels && normal !== '' && !normal.includes('.')) ||
    below.some((zone) => zone === '.' || `.${normal}`.endsWith(`.${zone}`))
  );
}

/** Says which names of other people a rule would take along. Null where all of its names may belong to one network. */
export function tooWideNames(
  names: RuleNames,
): 'the root' | 'a public suffix' | "wider than anybody's own network" | null {
  if (names.kind === 'below') return tooWide(normalSuffix(names.name));
  return names.kind === 'reverse' && isWidePrefix(names)
    ? "wider than anybody's own network"
    : null;
}

/** No network has more than a /8; of IPv6, unique local addresses are a /7 (RFC 4193). */
function isWidePrefix({ ip, prefixLength }: { ip: string; prefixLength: number }): boolean {
  if (isIPv4(ip)) return prefixLength < 8;
  return prefixLength < 16 && !(prefixLength >= 7 && prefixHolds('fc00::', 7, ip));
}
