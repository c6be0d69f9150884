/**
 * What of the query log is wanted, as a person writes it and as programs hold it.
 *
 *   example              names that contain this            type:A,HTTPS        transport:dot
 *   *.example.com        names of this form, whole          outcome:failed      cost:cold
 *   name:example.com     this name and no other             upstream:quad9      rule:*.corp.example
 *   /^ads?\d+\./         names this expression fits (RE2)   slower:100ms        clear:bypass
 *   "a b"                as it stands                       since:1h            until:2026-01-31T15:00
 *
 *   program:firefox      what this program asked        user:ann            container:web*
 *
 * Space is and, comma is or, `-` before a word negates it. A filter is a list of terms all of which must hold; a term holds
 * when one of its values does. Chips and text are this list seen twice: `readLogFilter` and `writeLogFilter` lead to and fro.
 */
import type { Failure } from '../errors.ts';
import type { ToldProblem } from './filter-problems.ts';

/** In the order of the help; `text` is a word without a field. */
export const filterFields = [
  'text',
  'name',
  'type',
  'outcome',
  'upstream',
  'transport',
  'cost',
  'slower',
  'since',
  'until',
  'rule',
  'clear',
  'rcode',
  'client',
  'program',
  'unit',
  'container',
  'executable',
  'user',
] as const;
export type FilterField = (typeof filterFields)[number];

export interface FilterValue {
  /** The form for comparisons: enumerations in their own words, types and rcodes as mnemonics, names in lower case. */
  text: string;
  /** a regular expression in RE2 syntax; only in terms of the field `text` */
  regex: boolean;
}

/** Holds when one of the values does; negated: when none does. */
export interface FilterTerm {
  field: FilterField;
  negated: boolean;
  values: readonly FilterValue[];
}

export type LogFilter = readonly FilterTerm[];

/** A term and where its text stands: `from` inclusive, `to` exclusive, in UTF-16 units. */
export interface PlacedTerm extends FilterTerm {
  from: number;
  to: number;
}

export interface FilterProblem extends ToldProblem {
  /** the wrong word, as written */
  word: string;
  from: number;
  to: number;
}

export type ReadFilter = { ok: true; terms: PlacedTerm[] } | { ok: false; problem: FilterProblem };

/** The text can be read back as the same filter. */
export function writeLogFilter(filter: LogFilter): string {
  return filter.map(writeTerm).join(' ');
}

/** One chip. */
export function writeTerm({ field, negated, values }: FilterTerm): string {
  const key = field === 'text' ? '' : `${field}:`;
  return `${negated ? '-' : ''}${key}${values.map((value) => writeValue(field, value)).join()}`;
}

/** What is wrong with one word of a filter. */
export type WrongWord = Pick<FilterProblem, 'word' | 'message' | 'remedy'>;

export function filterFailure({ word, message, remedy }: WrongWord): Failure {
  return { code: 'filter-invalid', message, remedy, subject: word };
}

function writeValue(field: FilterField, { text, regex }: FilterValue): string {
  if (regex) return `/${text}/`;
  return needsQuotes(field, text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}

function needsQuotes(field: FilterField, text: string): boolean {
  if (text === '' || /[\s,"]/.test(text)) return true;
  if (field === 'name') return false;
  return field === 'text' && /^[-/]|:/.test(text);
}
