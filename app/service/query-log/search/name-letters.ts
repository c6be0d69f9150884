/** What names with "xn--" labels stand for (RFC 5891), so that they are found by the letters that people read. */
import { domainToUnicode } from 'node:url';

/** A label that stands for nothing stays as it is. */
export function lettersOf(name: string): string {
  if (!name.includes('xn--')) return name;
  return name
    .split('.')
    .map((label) => (label.startsWith('xn--') ? domainToUnicode(label) || label : label))
    .join('.');
}
