/**
 * Which stored names a filter wants: through the trigram index where few fit, else by looking at each, which SQLite does ten
 * times as fast as JavaScript. Names are far fewer than rows, so they come first, and rows are then matched by the number of
 * their name.
 */
import type { Database } from 'better-sqlite3';
import type { FilterTerm, LogFilter } from '../../../contract/query-log/log-filter.ts';
import { nameTest } from '../../../contract/query-log/log-filter-match.ts';
import { isInternational, isPattern } from '../../../contract/query-log/log-filter-words.ts';
import { isAboutNames, sqliteGlob } from './event-terms.ts';
import { nameExpression } from './name-expression.ts';
import { lettersOf } from './name-letters.ts';

/** Beyond so many, looking at every name in turn is quicker than the index. */
const mostFromIndex = 5_000;
const namesASlice = 4_000;

type Name = [id: number, name: string];

/** Their ids; null: all of them. Yields between slices of work. */
export function* selectNames(
  database: Database,
  filter: LogFilter,
): Generator<undefined, readonly number[] | null> {
  const terms = filter.filter(isAboutNames);
  if (terms.length === 0) return null;
  const found = fromIndex(database, terms);
  if (found !== null) return idsOf(found, terms);
  const ids: number[] = [];
  for (const names of scan(database, terms)) {
    for (const id of idsOf(names, terms.filter(isForLater))) ids.push(id);
    yield;
  }
  // A pattern such as "*" wants every name: then no row needs a check.
  return ids.length === namesKept(database) ? null : ids;
}

function namesKept(database: Database): number {
  return database.prepare('SELECT count(*) FROM names').pluck().get() as number;
}

function idsOf(names: readonly Name[], terms: readonly FilterTerm[]): number[] {
  const tests = terms.map((term) => {
    const test = nameTest(term, { expression: nameExpression, letters: lettersOf });
    return (name: string) => test(name) !== term.negated;
  });
  return names.filter(([, name]) => tests.every((test) => test(name))).map(([id]) => id);
}

/** All names in slices; of each slice the names that fit. What SQLite can't judge is left to the caller. */
function* scan(database: Database, terms: readonly FilterTerm[]): Generator<Name[]> {
  const parameters: Record<string, string> = {};
  const conditions = terms
    .filter((term) => !isForLater(term))
    .map(({ field, negated, values }) => {
      const alternatives = values.map(({ text }) => {
        const key = `n${Object.keys(parameters).length}`;
        parameters[key] = sqliteGlob(field === 'name' || isPattern(text) ? text : `*${text}*`);
        return `name GLOB @${key}`;
      });
      return `${negated ? 'NOT ' : ''}(${alternatives.join(' OR ')})`;
    });
  const end = database
    .prepare(
      `SELECT max(id) FROM (SELECT id FROM names WHERE id > ? ORDER BY id LIMIT ${namesASlice})`,
    )
    .pluck();
  const fitting = database
    .prepare(
      `SELECT id, name FROM names WHERE id > @after AND id <= @upto AND ${conditions.join(' AND ') || '1'}`,
    )
    .raw();
  for (let after = 0; ; ) {
    const upto = end.get(after) as number | null;
    if (upto === null) return;
    yield fitting.all({ ...parameters, after, upto }) as Name[];
    after = upto;
  }
}

/** A regular expression, or letters that stand in a name in their "xn--" form. */
function isForLater({ values }: FilterTerm): boolean {
  return values.some(({ text, regex }) => regex || isInternational(text));
}

/** A superset of what fits; null where the index can't answer, or would return too much. */
function fromIndex(database: Database, terms: readonly FilterTerm[]): Name[] | null {
  for (const term of terms) {
    if (term.negated || term.values.some(({ regex }) => regex)) continue;
    const found = new Map<number, string>();
    const complete = term.values.every(({ text }) => {
      const names = lookUp(database, term.field, text);
      for (const [id, name] of names ?? []) found.set(id, name);
      return names !== null;
    });
    if (complete) return [...found];
  }
  return null;
}

function lookUp(database: Database, field: FilterTerm['field'], text: string): Name[] | null {
  if (field === 'name' && !isPattern(text))
    return database.prepare('SELECT id, name FROM names WHERE name = ?').raw().all(text) as Name[];
  const shown = isInternational(text) ? '*xn--*' : text;
  if (!hasTrigram(shown)) return null;
  const glob = sqliteGlob(isPattern(shown) ? shown : `*${shown}*`);
  const names = database
    .prepare(
      // Names that are not in the index yet are compared one by one.
      `SELECT rowid, name FROM name_trigrams WHERE name GLOB @glob
       UNION ALL
       SELECT id, name FROM names
       WHERE id > (SELECT upto FROM search_progress WHERE what = 'names') AND name GLOB @glob
       LIMIT ${mostFromIndex + 1}`,
    )
    .raw()
    .all({ glob }) as Name[];
  return names.length > mostFromIndex ? null : names;
}

/** The index knows sequences of three characters. */
function hasTrigram(pattern: string): boolean {
  return pattern.split(/[*?]/).some((run) => Array.from(run).length >= 3);
}
