/** The term of a filter that finds the rows counted under one value of `log.top`. */
import type { TopKind } from './log-api.ts';
import { type LogFilter, writeTerm } from './log-filter.ts';
import { readLogFilter } from './log-filter-reading.ts';
import { asciiLower, isPattern } from './log-filter-words.ts';

/** null: no filter finds exactly these */
export function filterOfValue(kind: TopKind, value: string): string | null {
  if (isPattern(value)) return null;
  const text = asciiLower(value);
  const below = kind === 'domain' && text !== '.' ? [`*.${text}`] : [];
  const term = {
    field: kind === 'domain' ? 'name' : kind,
    negated: false,
    values: [text, ...below].map((each) => ({ text: each, regex: false })),
  } as const;
  const written = writeTerm(term);
  return meansThis(written, [term]) ? written : null;
}

function meansThis(written: string, wanted: LogFilter): boolean {
  const read = readLogFilter(written);
  return read.ok && shape(read.terms) === shape(wanted);
}

function shape(terms: LogFilter): string {
  return JSON.stringify(terms.map(({ field, negated, values }) => [field, negated, values]));
}
