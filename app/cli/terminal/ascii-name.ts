import { domainToASCII } from 'node:url';
import { badUsage } from '../failure.ts';

/** International names are sent in their "xn--" form (RFC 5891); the engine judges everything else. */
export function asciiName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  const ascii = domainToASCII(name);
  if (ascii !== '') return ascii;
  throw badUsage(`"${name}" is not a domain name`, 'check it, or write its "xn--" form');
}
