/** Splits the text of a filter into its terms. `log-filter-values.ts` checks the values. */
import { type FilterProblemCode, problemOf, type ToldProblem } from './filter-problems.ts';
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
      throw this.#problem(0, problemOf('too-long', `${longestFilter}`));
    for (this.#skipSpace(); this.#at < this.#text.length; this.#skipSpace()) {
      const term = this.#term();
      if (terms.length === mostTerms)
        throw this.#problem(term.from, problemOf('many-words', `${mostTerms}`));
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
        takesMany(field)
          ? problemOf('many-values', `${mostValues}`)
          : problemOf('one-value', field),
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
      throw this.#problem(from, problemOf('no-field', key, fieldNames.join(', ')));
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
        field === 'text' ? problemOf('no-word') : problemOf('no-value', field),
      );
    return this.#checked(field, from, word);
  }

  #checked(field: FilterField, from: number, written: string): FilterValue {
    const read = readValue(field, written);
    if (!read.ok) throw this.#problem(from, read.problem);
    return { text: read.text, regex: false };
  }

  #quoted(): string {
    const from = this.#at;
    const [written, inner] = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(this.#text.slice(from)) ?? [];
    if (written === undefined || inner === undefined) throw this.#openEnd(from, 'open-quotes');
    this.#end(from, written, 'behind-quotes');
    return inner.replace(/\\(["\\])/g, '$1');
  }

  #expression(): string {
    const from = this.#at;
    const [written, source] = /^\/((?:[^/\\]|\\[\s\S])+)\//.exec(this.#text.slice(from)) ?? [];
    if (written === undefined || source === undefined) throw this.#openEnd(from, 'open-expression');
    this.#end(from, written, 'behind-slashes');
    return source;
  }

  /** Text between delimiters is a value of its own: nothing may stand right behind it. */
  #end(from: number, written: string, code: FilterProblemCode): void {
    this.#at += written.length;
    const next = this.#text[this.#at];
    if (next === undefined || /[\s,]/.test(next)) return;
    throw this.#problem(from, problemOf(code, next));
  }

  #openEnd(from: number, code: FilterProblemCode): Unreadable {
    this.#at = this.#text.length;
    return this.#problem(from, problemOf(code));
  }

  #problem(from: number, problem: ToldProblem): Unreadable {
    const [more = ''] = /^[^\s]*/.exec(this.#text.slice(this.#at)) ?? [];
    const to = this.#at + more.length;
    return new Unreadable({ word: this.#text.slice(from, to), from, to, ...problem });
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
