/** The values that each field of a filter accepts, and the one way to write each. */

import { rcodeMnemonic, rcodeNumber, typeMnemonic, typeNumber } from '../dns/dns-mnemonics.ts';
import { clearClasses, costs, outcomes, transports } from '../engine-words.ts';
import { parseDuration } from '../text/duration.ts';
import type { FilterProblemCode } from './filter-problems.ts';
import { type FilterField, filterFields } from './log-filter.ts';
import {
  type ReadValue,
  readClient,
  readContainer,
  readExecutable,
  readName,
  readPattern,
  readProgram,
  readRule,
  readText,
  readUnit,
  readUpstream,
  refuse,
} from './log-filter-words.ts';

const readers: Record<FilterField, (written: string) => ReadValue> = {
  text: readPattern,
  name: readName,
  type: (written) =>
    numbered(written, typeNumber, typeMnemonic, 'no-type', 'A, AAAA, HTTPS, TYPE65280'),
  outcome: (written) => oneOf(outcomes, written, 'no-outcome'),
  upstream: readUpstream,
  transport: (written) => oneOf(transports, written, 'no-transport'),
  cost: (written) => oneOf(costs, written, 'no-cost'),
  slower: readDuration,
  since: readTime,
  until: readTime,
  rule: readRule,
  clear: (written) => oneOf(clearClasses, written, 'no-clear'),
  rcode: (written) =>
    numbered(written, rcodeNumber, rcodeMnemonic, 'no-rcode', 'NXDOMAIN, RCODE16'),
  client: readClient,
  program: readProgram,
  unit: readUnit,
  container: readContainer,
  executable: readExecutable,
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
  if (clockForm.test(text) && isDay(text) && Number.isFinite(Date.parse(localDate(text))))
    return { ok: true, text };
  return refuse('not-time', written);
}

/** A date, or a time of day, without its offset from UTC. */
export function isLocalTime(text: string): boolean {
  return clockForm.test(text) && !/Z$|[+-]\d\d:\d\d$/.test(text);
}

/** The 30th of February would be read as a day in March. */
function isDay(text: string): boolean {
  const day = text.slice(0, '2026-01-31'.length);
  const read = new Date(`${day}T00:00Z`);
  return Number.isFinite(read.getTime()) && read.toISOString().startsWith(day);
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
