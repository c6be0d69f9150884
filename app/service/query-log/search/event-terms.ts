/**
 * The terms of a filter about an event's own columns, in two forms: as a condition in SQL, with values as parameters only, and
 * as bounds on how many rows of a block fit. Terms about names are in `name-selection.ts`.
 */

import type { Database } from 'better-sqlite3';
import { rcodeNumber, typeNumber } from '../../../contract/dns/dns-mnemonics.ts';
import { matchesGlob } from '../../../contract/dns/name-pattern.ts';
import { clearClasses, costs, outcomes, transports } from '../../../contract/engine-words.ts';
import type { FilterField, FilterTerm, LogFilter } from '../../../contract/query-log/log-filter.ts';
import { matchesClient, slowerThan } from '../../../contract/query-log/log-filter-match.ts';
import { timeOf } from '../../../contract/query-log/log-filter-values.ts';
import { asciiLower } from '../../../contract/query-log/log-filter-words.ts';
import { type BlockSummary, type CountedColumn, columnOf, slowerRows } from './block-summary.ts';

export interface Condition {
  /** "1" where there is no condition */
  sql: string;
  parameters: Record<string, string | number>;
}

/** Rows of a block that fit, at least and at most. */
export interface Bounds {
  least: number;
  most: number;
}

type EventField = Exclude<FilterField, 'text' | 'name'>;

const columns = {
  outcome: 'outcome',
  cost: 'cost',
  transport: 'transport',
  clear: 'clear',
  type: 'type',
  rcode: 'rcode',
  upstream: 'upstream',
  rule: 'rule',
  client: 'client_address',
  program: 'asker',
  unit: 'unit',
  container: 'container',
  executable: 'executable',
  user: 'user',
} as const satisfies Partial<Record<EventField, CountedColumn>>;

const numbers: Partial<Record<EventField, (word: string) => number>> = {
  outcome: (word) => (outcomes as readonly string[]).indexOf(word),
  cost: (word) => (costs as readonly string[]).indexOf(word),
  transport: (word) => (transports as readonly string[]).indexOf(word),
  clear: (word) => (clearClasses as readonly string[]).indexOf(word),
  type: (word) => typeNumber(word) ?? -1,
  rcode: (word) => rcodeNumber(word) ?? -1,
};

export function isAboutNames({ field }: FilterTerm): boolean {
  return field === 'text' || field === 'name';
}

export function conditionOf(filter: LogFilter, now: number): Condition {
  const parameters: Condition['parameters'] = {};
  const put = (value: string | number) => {
    const key = `f${Object.keys(parameters).length}`;
    parameters[key] = value;
    return `@${key}`;
  };
  const parts = filter
    .filter((term) => !isAboutNames(term))
    .map((term) => {
      const sql = sqlOf(term, now, put);
      return term.negated ? `NOT (${sql})` : `(${sql})`;
    });
  return { sql: parts.join(' AND ') || '1', parameters };
}

function sqlOf(
  { field, values }: FilterTerm,
  now: number,
  put: (value: string | number) => string,
): string {
  const [text = ''] = values.map((value) => value.text);
  switch (field) {
    case 'slower':
      return `total > ${put(slowerThan(text))}`;
    case 'since':
      return `at >= ${put(timeOf(text, now) * 1000)}`;
    case 'until':
      return `at < ${put(timeOf(text, now) * 1000)}`;
    case 'client':
      return values
        .map(({ text: client }) =>
          client.includes('/')
            ? `${withinPrefix}(${put(client)}, ${columns.client})`
            : `lower(${columns.client}) GLOB ${put(sqliteGlob(client))}`,
        )
        .join(' OR ');
    case 'upstream':
    case 'rule':
    case 'program':
    case 'unit':
    case 'container':
    case 'executable':
    case 'user':
      return values
        .map((value) => `lower(${columnOf(columns[field])}) GLOB ${put(sqliteGlob(value.text))}`)
        .join(' OR ');
    case 'text':
    case 'name':
      throw new RangeError(`${field} is about names`);
    default:
      return `${columns[field]} IN (${values
        .map((value) => put(numbers[field]?.(value.text) ?? -1))
        .join()})`;
  }
}

/** The patterns of a filter have no character classes. */
export function sqliteGlob(pattern: string): string {
  return pattern.replaceAll('[', '[[]');
}

/** How many rows of a block fit all terms; those about names may fit any. */
export function boundsOf(filter: LogFilter, summary: BlockSummary, now: number): Bounds {
  const { rows } = summary;
  let [least, most] = [rows, rows];
  for (const term of filter) {
    if (isAboutNames(term)) continue;
    const inner = termBounds(term, summary, now);
    const own = term.negated
      ? { least: rows - inner.most, most: rows - inner.least }
      : { least: inner.least, most: inner.most };
    least = Math.max(0, least + own.least - rows);
    most = Math.min(most, own.most);
  }
  return { least, most };
}

function termBounds({ field, values }: FilterTerm, summary: BlockSummary, now: number): Bounds {
  const [text = ''] = values.map((value) => value.text);
  switch (field) {
    case 'slower':
      return slowerRows(summary, slowerThan(text));
    case 'since': {
      const limit = timeOf(text, now) * 1000;
      return timeBounds(summary, summary.from >= limit, summary.to < limit);
    }
    case 'until': {
      const limit = timeOf(text, now) * 1000;
      return timeBounds(summary, summary.to < limit, summary.from >= limit);
    }
    case 'text':
    case 'name':
      return { least: 0, most: summary.rows };
    default: {
      const read = numbers[field];
      const wanted =
        read === undefined
          ? (value: string) => values.some((one) => fits(field, one.text, value))
          : wantedNumbers(values.map((value) => read(value.text)));
      return countBounds(summary, columns[field], wanted);
    }
  }
}

function fits(field: EventField, text: string, value: string): boolean {
  return field === 'client' ? matchesClient(text, value) : matchesGlob(text, asciiLower(value));
}

/** SQLite has no notion of addresses. */
const withinPrefix = 'within_prefix';

export function addFunctions(database: Database): void {
  database.function(withinPrefix, { deterministic: true }, (prefix, address) =>
    matchesClient(String(prefix), String(address)) ? 1 : 0,
  );
}

function wantedNumbers(all: readonly number[]): (value: string) => boolean {
  const wanted = new Set(all.map(String));
  return (value) => wanted.has(value);
}

function countBounds(
  { rows, counts, others }: BlockSummary,
  column: CountedColumn,
  wanted: (value: string) => boolean,
): Bounds {
  let least = 0;
  const known = counts[column];
  if (known === undefined) return { least: 0, most: rows };
  for (const [value, count] of Object.entries(known)) if (wanted(value)) least += count;
  return { least, most: least + (others[column] ?? 0) };
}

function timeBounds({ rows }: BlockSummary, all: boolean, none: boolean): Bounds {
  return { least: all ? rows : 0, most: none ? 0 : rows };
}
