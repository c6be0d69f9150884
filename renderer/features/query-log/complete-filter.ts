/** What can come next in a filter that somebody types: a field, or a value of one. Pure. */

import type { LogResult } from '../../../app/contract/query-log/log-api.ts';
import { type FilterField, writeTerm } from '../../../app/contract/query-log/log-filter.ts';
import {
  fieldNamed,
  fieldNames,
  filterChoices,
} from '../../../app/contract/query-log/log-filter-values.ts';

/** Values that occur in the query log, the most frequent first. */
export type Occurring = LogResult<'suggest'>;

export interface Completion {
  /** the whole text of the filter once it is taken */
  text: string;
  /** where typing goes on */
  caret: number;
  /** what is added or replaced, such as "outcome:" or "failed" */
  shown: string;
}

const mostShown = 8;

/** Whoever wants another value types it. */
const usual: Partial<Record<FilterField, readonly string[]>> = {
  slower: ['100ms', '1s'],
  since: ['1h', '1d', '7d'],
  until: ['1h', '1d'],
};

/** The word that ends at `caret` is completed; there is nothing in the middle of one. */
export function completeFilter(
  text: string,
  caret: number,
  occurring: Occurring | null,
): Completion[] {
  const word = /(?:^|\s)-?([^\s"/]*)$/.exec(text.slice(0, caret))?.[1] ?? '';
  if (word === '' || /^\S/.test(text.slice(caret))) return [];
  const colon = word.indexOf(':');
  const [begun, items] =
    colon === -1
      ? [word, fieldNames]
      : [
          word.slice(Math.max(colon, word.lastIndexOf(',')) + 1),
          valuesOf(word.slice(0, colon), occurring),
        ];
  const from = caret - begun.length;
  return items
    .filter((item) => item !== begun && item.toLowerCase().startsWith(begun.toLowerCase()))
    .slice(0, mostShown)
    .map((item) => ({
      text: `${text.slice(0, from)}${item}${text.slice(caret)}`,
      caret: from + item.length,
      shown: item,
    }));
}

function valuesOf(name: string, occurring: Occurring | null): string[] {
  const field = fieldNamed(name.toLowerCase());
  if (field === null) return [];
  const found = occurring?.[field as keyof Occurring]?.map(({ value }) => value);
  const values = found ?? filterChoices[field] ?? usual[field] ?? [];
  return values.filter((value) => value !== '').map((value) => written(field, value));
}

/** With quotes where it needs some. */
function written(field: FilterField, text: string): string {
  return writeTerm({ field, negated: false, values: [{ text, regex: false }] }).slice(
    field.length + 1,
  );
}
