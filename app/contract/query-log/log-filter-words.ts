/**
 * The values of a filter that are more than a word from a list: names, addresses, paths. Each is written as the log has it, so that
 * what was understood is found, and what can never be there is told.
 */
import { asciiName } from '../dns/ascii-name.ts';
import { readIp, readIpPrefix } from '../dns/ip-prefix.ts';
import { formatSocketAddress, isLinkLocal, parseSocketAddress } from '../dns/socket-address.ts';
import { type FilterProblemCode, problemOf, type ToldProblem } from './filter-problems.ts';

export type ReadValue = { ok: true; text: string } | { ok: false; problem: ToldProblem };

/** Each star multiplies the work of a match, and a pattern may come from a stranger. */
export const mostStars = 8;
/** A name of 253 octets, every one of them escaped as \DDD. */
const longestPattern = 4 * 253;

/** Case and a final dot make no difference, as in DNS; an escaped dot belongs to its label. */
export function plainName(name: string): string {
  const lower = asciiLower(name);
  return lower.length > 1 && /[^\\.](\\\\)*\.$/.test(lower) ? lower.slice(0, -1) : lower;
}

/** As SQLite's lower() does it: letters beyond ASCII stay. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/** Such a text is compared with the letters that a name stands for, and not with its "xn--" form. */
export function isInternational(text: string): boolean {
  return /[\u0080-\uffff]/.test(text);
}

/** Part of a name, or a pattern for all of it. */
export function readPattern(written: string): ReadValue {
  if (written.includes('://')) return refuse('no-link', written);
  return pattern(escapedSpaces(isInternational(written) ? asLetters(written) : written));
}

/** Names in the log have a space as "\032", as presentation form has it (RFC 1035 section 5.1). */
function escapedSpaces(text: string): string {
  return text.replace(/\\[\s\S]| /g, (found) => (found.endsWith(' ') ? '\\032' : found));
}

function pattern(written: string): ReadValue {
  const text = plainName(written);
  if (text === '') return refuse('no-name');
  if (text.length > longestPattern) return refuse('long-name');
  const fewer = text.replace(/\*+/g, '*');
  if (fewer.split('*').length - 1 > mostStars) return refuse('many-stars', `${mostStars}`);
  return { ok: true, text: fewer };
}

/** As names are once they are decoded: what is to be one letter is one, dots are dots (UTS 46). */
function asLetters(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u3002\uff0e\uff61]/g, '.');
}

/** A name and no other, or a pattern for it. */
export function readName(written: string): ReadValue {
  // No label is empty, and a path belongs to an address of the web.
  if (/^\..|(?<!\\)\.\.|[^\\]\/$/.test(written)) return refuse('no-domain', written);
  if (!isInternational(written) || isPattern(written)) return readPattern(written);
  const ascii = asciiName(written);
  return ascii === null ? refuse('no-domain', written) : readPattern(ascii);
}

/** `""` is the empty value. */
export function readText(written: string): ReadValue {
  return written === '' ? { ok: true, text: '' } : pattern(written);
}

/** What the column "program" of a line shows, as far as it is the name of one. */
export function readProgram(written: string): ReadValue {
  if (written.includes('/')) return refuse('path', written);
  if (/\.(?:service|scope)$/i.test(written)) return refuse('unit', written);
  return written.includes(' · ') ? refuse('session', written) : readText(written);
}

/** The log has no interface beside an address. */
export function readClient(written: string): ReadValue {
  if (isPattern(written))
    return /^[\da-f.:*?]+$/i.test(written) ? readPattern(written) : refuse('no-address', written);
  if (written === '') return { ok: true, text: '' };
  const text = readIpPrefix(written) ?? readIp(written.replace(/^(fe80:.*)%[^/%]+$/i, '$1'));
  return text === null ? refuse('no-address', written) : { ok: true, text };
}

/** The id of an upstream, or the address of a resolver, at any port where none is given. */
export function readUpstream(written: string): ReadValue {
  if (isPattern(written) && /^[\da-f*?]*:[\da-f*?]*:/i.test(written))
    return readText(`[${written}]:*`);
  if (written === '' || isPattern(written)) return readText(written);
  const address = parseSocketAddress(written);
  if (address !== null) {
    const text = formatSocketAddress(asLogged(address.ip), address.port ?? 0);
    return { ok: true, text: address.port === null ? text.replace(/0$/, '*') : text };
  }
  return /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(written)
    ? readPattern(written)
    : refuse('no-upstream', written);
}

/** The log has the name of a link, as it was then: without it, or with its number, an address may be of any. */
function asLogged(ip: string): string {
  const [own = '', zone = ''] = ip.split('%');
  const text = readIp(own) ?? own;
  return isLinkLocal(text) ? `${text}%${/^\d*$/.test(zone) ? '*' : asciiLower(zone)}` : text;
}

/** A bypass rule or a special-use name, as ledger and log write it. */
export function readRule(written: string): ReadValue {
  if (!isInternational(written)) return readText(readIpPrefix(written) ?? written);
  const labels = written.replace(/^=/, '').split(/[.\u3002\uff0e\uff61]/);
  const ascii = labels.map((label) =>
    isInternational(label) && isPattern(label) ? null : asciiName(label),
  );
  if (ascii.includes(null)) return refuse('part-label', written);
  return readPattern(`${written.startsWith('=') ? '=' : ''}${ascii.join('.')}`);
}

export function readUnit(written: string): ReadValue {
  if (written === '' || isPattern(written)) return readText(written);
  return /\.(?:service|scope)$/i.test(written) ? readText(written) : refuse('no-unit', written);
}

export function readExecutable(written: string): ReadValue {
  if (written === '' || /^[/*?]/.test(written)) return readText(written);
  return refuse('no-path', written);
}

/** Of a container's id the log has the first twelve digits; some programs show more, or the engine before it. */
export function readContainer(written: string): ReadValue {
  const [, id] = /^(?:[a-z][a-z-]*:\/\/)?([\da-f]{12})[\da-f]{0,52}$/i.exec(written) ?? [];
  return readText(id ?? written);
}

export function refuse(code: FilterProblemCode, ...about: string[]): ReadValue {
  return { ok: false, problem: problemOf(code, ...about) };
}
