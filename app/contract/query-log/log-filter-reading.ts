/** Splits the text of a filter into its terms. `log-filter-values.ts` checks the values. */
import type {
  FilterField,
  FilterProblem,
  FilterValue,
  PlacedTerm,
  ReadFilter,
} from './log-filter.ts';
import { fieldNamed, fieldNames, readValue, takesMany } from './log-filter-values.ts';

export const longestFilter = 2000;
const mostTerms = 32;
const mostValues = 64;

/** Regular expressions are checked where they run: here they are text between slashes. */
export function readLogFilter(text: string): ReadFilter {
  try {
    return { ok: true, terms: new Reading(text).terms() };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Never leaves this file. */
class Unreadable extends Error {
  readonly problem: FilterProblem;

  constructor(problem: FilterProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

class Reading {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  terms(): PlacedTerm[] {
    const terms: PlacedTerm[] = [];
    if (this.#text.length > longestFilter)
      throw this.#problem(0, 'the filter is too long', `use ${longestFilter} characters at most`);
    for (this.#skipSpace(); this.#at < this.#text.length; this.#skipSpace()) {
      const term = this.#term();
      if (terms.length === mostTerms)
        throw this.#problem(term.from, `the filter has more than ${mostTerms} words`, 'use fewer');
      terms.push(term);
    }
    return terms;
  }

  #term(): PlacedTerm {
    const from = this.#at;
    const negated = this.#take('-');
    const field = this.#field();
    const values = [this.#value(field)];
    while (this.#take(',')) values.push(this.#value(field));
    const to = this.#at;
    if (values.length > (takesMany(field) ? mostValues : 1))
      throw this.#problem(
        from,
        takesMany(field) ? `more than ${mostValues} values` : `"${field}:" takes one value`,
        takesMany(field) ? 'use a star, or a regular expression' : 'leave one of them',
      );
    return { field, negated, values, from, to };
  }

  #field(): FilterField {
    const from = this.#at;
    const [written, key] = /^([^\s,"/:]*):/.exec(this.#text.slice(from)) ?? [];
    if (written === undefined || key === undefined) return 'text';
    this.#at += written.length;
    const field = fieldNamed(key.toLowerCase());
    if (field === null)
      throw this.#problem(
        from,
        `there is no field "${key}"`,
        `use ${fieldNames.join(', ')}; or put quotes around a name with a colon`,
      );
    return field;
  }

  #value(field: FilterField): FilterValue {
    const from = this.#at;
    const first = this.#text[from];
    if (first === '"') return this.#checked(field, from, this.#quoted());
    if (first === '/' && field === 'text') return { text: this.#expression(), regex: true };
    const [word = ''] = /^[^\s,]*/.exec(this.#text.slice(from)) ?? [];
    this.#at += word.length;
    if (word === '')
      throw this.#problem(
        from,
        field === 'text' ? 'a word is missing' : `"${field}:" has no value`,
        field === 'text' ? 'write one, or remove the sign' : `write one after "${field}:"`,
      );
    return this.#checked(field, from, word);
  }

  #checked(field: FilterField, from: number, written: string): FilterValue {
    const read = readValue(field, written);
    if (!read.ok) throw this.#problem(from, read.message, read.remedy);
    return { text: read.text, regex: false };
  }

  #quoted(): string {
    const from = this.#at;
    const [written, inner] = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(this.#text.slice(from)) ?? [];
    if (written === undefined || inner === undefined)
      throw this.#openEnd(from, 'the quotes are not closed', 'write " where they end');
    this.#end(from, written, 'quotes');
    return inner.replace(/\\(["\\])/g, '$1');
  }

  #expression(): string {
    const from = this.#at;
    const [written, source] = /^\/((?:[^/\\]|\\[\s\S])+)\//.exec(this.#text.slice(from)) ?? [];
    if (written === undefined || source === undefined)
      throw this.#openEnd(
        from,
        'the expression is empty or not closed',
        'write / where it ends, and \\/ for a slash inside',
      );
    this.#end(from, written, 'slashes');
    return source;
  }

  /** Text between delimiters is a value of its own: nothing may stand right behind it. */
  #end(from: number, written: string, enclosed: string): void {
    this.#at += written.length;
    const next = this.#text[this.#at];
    if (next === undefined || /[\s,]/.test(next)) return;
    throw this.#problem(
      from,
      `"${next}" stands right behind the ${enclosed}`,
      'write a space between',
    );
  }

  #openEnd(from: number, message: string, remedy: string): Unreadable {
    this.#at = this.#text.length;
    return this.#problem(from, message, remedy);
  }

  #problem(from: number, message: string, remedy: string): Unreadable {
    const [more = ''] = /^[^\s]*/.exec(this.#text.slice(this.#at)) ?? [];
    const to = this.#at + more.length;
    return new Unreadable({ word: this.#text.slice(from, to), from, to, message, remedy });
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    const [space = ''] = /^\s*/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += space.length;
  }
}
