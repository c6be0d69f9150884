/** The values that each field of a filter accepts, and the one way to write each. */

import { rcodeMnemonic, rcodeNumber, typeMnemonic, typeNumber } from '../dns/dns-mnemonics.ts';
import { clearClasses, costs, outcomes, transports } from '../engine-words.ts';
import { parseDuration } from '../text/duration.ts';
import { type FilterProblemCode, problemOf, type ToldProblem } from './filter-problems.ts';
import { type FilterField, filterFields } from './log-filter.ts';

type ReadValue = { ok: true; text: string } | { ok: false; problem: ToldProblem };

/** Each star multiplies the work of a match, and a pattern may come from a stranger. */
export const mostStars = 8;
/** A name of 253 octets, every one of them escaped as \DDD. */
const longestPattern = 4 * 253;

const readers: Record<FilterField, (written: string) => ReadValue> = {
  text: readPattern,
  name: readPattern,
  type: (written) =>
    numbered(written, typeNumber, typeMnemonic, 'no-type', 'A, AAAA, HTTPS, TYPE65280'),
  outcome: (written) => oneOf(outcomes, written, 'no-outcome'),
  upstream: readText,
  transport: (written) => oneOf(transports, written, 'no-transport'),
  cost: (written) => oneOf(costs, written, 'no-cost'),
  slower: readDuration,
  since: readTime,
  until: readTime,
  rule: readText,
  clear: (written) => oneOf(clearClasses, written, 'no-clear'),
  rcode: (written) =>
    numbered(written, rcodeNumber, rcodeMnemonic, 'no-rcode', 'NXDOMAIN, RCODE16'),
  client: readText,
  program: readText,
  unit: readText,
  container: readText,
  executable: readText,
  user: readText,
};

/** With their colon, as help lists them. */
export const fieldNames = filterFields
  .filter((field) => field !== 'text')
  .map((field) => `${field}:`);

/** Values of the fields that have a closed set of them, for completion. */
export const filterChoices: Partial<Record<FilterField, readonly string[]>> = {
  outcome: outcomes,
  transport: transports,
  cost: costs,
  clear: clearClasses,
};

export function fieldNamed(key: string): FilterField | null {
  return filterFields.find((field) => field === key && field !== 'text') ?? null;
}

export function takesMany(field: FilterField): boolean {
  return field !== 'slower' && field !== 'since' && field !== 'until';
}

export function readValue(field: FilterField, written: string): ReadValue {
  return readers[field](written);
}

/** The unix milliseconds for `since:` and `until:`; a duration counts back from `now`. */
export function timeOf(text: string, now: number): number {
  const duration = parseDuration(text);
  return duration === null ? Date.parse(localDate(text)) : now - duration;
}

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

function readPattern(written: string): ReadValue {
  const text = plainName(written).replace(/\*+/g, '*');
  if (text === '') return refuse('no-name');
  if (text.length > longestPattern) return refuse('long-name');
  if (text.split('*').length - 1 > mostStars) return refuse('many-stars', `${mostStars}`);
  return { ok: true, text };
}

/** `""` is the empty value. */
function readText(written: string): ReadValue {
  return written === '' ? { ok: true, text: '' } : readPattern(written);
}

function readDuration(written: string): ReadValue {
  const text = written.toLowerCase();
  if (parseDuration(text) !== null) return { ok: true, text };
  return refuse('not-duration', written);
}

const clockForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

function readTime(written: string): ReadValue {
  const lower = written.toLowerCase();
  if (parseDuration(lower) !== null) return { ok: true, text: lower };
  const text = written.toUpperCase();
  if (clockForm.test(text) && Number.isFinite(Date.parse(localDate(text))))
    return { ok: true, text };
  return refuse('not-time', written);
}

/** A date alone would be read as midnight UTC; with a time of day it is local. */
function localDate(text: string): string {
  return text.length === '2026-01-31'.length ? `${text}T00:00` : text;
}

function oneOf(words: readonly string[], written: string, code: FilterProblemCode): ReadValue {
  const text = written.toLowerCase();
  if (words.includes(text)) return { ok: true, text };
  return refuse(code, written, words.join(', '));
}

function numbered(
  written: string,
  read: (text: string) => number | null,
  write: (number: number) => string,
  code: FilterProblemCode,
  examples: string,
): ReadValue {
  const number = read(written);
  if (number === null) return refuse(code, written, examples);
  return { ok: true, text: write(number) };
}

function refuse(code: FilterProblemCode, ...about: string[]): ReadValue {
  return { ok: false, problem: problemOf(code, ...about) };
}
