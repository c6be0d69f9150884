import { asciiName } from '../../contract/dns/ascii-name.ts';
import { asciiWord } from '../../contract/settings/rule-words.ts';
import { badUsage } from '../failure.ts';

/** A name as the wire has it; the engine judges what is ASCII. */
export function readDomainName(text: string): string {
  return asciiName(text) ?? refuse(text);
}

/** The names of a bypass rule: "=bücher.example" is one, too. */
export function readRuleWord(text: string): string {
  const word = asciiWord(text);
  return asciiName(word) === word ? word : refuse(text);
}

function refuse(text: string): never {
  throw badUsage(`"${text}" is not a domain name`, 'check it, or write its "xn--" form');
}
