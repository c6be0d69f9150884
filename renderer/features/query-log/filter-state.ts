/** The filter in the address, and its meaning. */
import type {
  FilterField,
  FilterProblem,
  PlacedTerm,
} from '../../../app/contract/query-log/log-filter.ts';
import { writeLogFilter, writeTerm } from '../../../app/contract/query-log/log-filter.ts';
import { readLogFilter } from '../../../app/contract/query-log/log-filter-reading.ts';

export interface FilterState {
  text: string;
  terms: readonly PlacedTerm[];
  /** null: it can be read */
  problem: FilterProblem | null;
}

export function readFilter(text: string): FilterState {
  const read = readLogFilter(text);
  return read.ok
    ? { text, terms: read.terms, problem: null }
    : { text, terms: [], problem: read.problem };
}

export function withoutTerm({ terms }: FilterState, removed: PlacedTerm): string {
  return writeLogFilter(terms.filter((term) => term !== removed));
}

/** Adds a term, in place of one of the same field where a field has one value only; adds nothing where it is there already. */
export function withTerm(state: FilterState, added: string): string {
  const read = readLogFilter(added);
  if (!read.ok) return state.text;
  const fields = new Set(read.terms.map(({ field }) => field));
  const single = (field: string) => ['since', 'until', 'slower'].includes(field);
  const kept = state.terms.filter(
    (term) => !(single(term.field) && fields.has(term.field)) && writeTerm(term) !== added,
  );
  return [writeLogFilter(kept), writeLogFilter(read.terms)].filter(Boolean).join(' ');
}

/** What one of the chips of classes chooses, or one of the ranges. */
export interface Choice {
  /** terms of the filter language; empty: any */
  terms: string;
  /** fields that it decides alone */
  fields: readonly FilterField[];
}

/** The other fields stay as they are. */
export function withChoice({ terms }: FilterState, { terms: added, fields }: Choice): string {
  const kept = terms.filter(({ field }) => !fields.includes(field));
  return [writeLogFilter(kept), added].filter(Boolean).join(' ');
}

export function isChosen({ terms }: FilterState, choice: Choice): boolean {
  const here = terms.filter(({ field }) => choice.fields.includes(field));
  return written(here) === written(readFilter(choice.terms).terms);
}

function written(terms: readonly PlacedTerm[]): string {
  return terms.map(writeTerm).sort().join(' ');
}

/** The interval of time that it selects; `null`: open at that end. */
export function stretchOf({ terms }: FilterState): { since: string | null; until: string | null } {
  const value = (field: string) =>
    terms.find((term) => term.field === field && !term.negated)?.values[0]?.text ?? null;
  return { since: value('since'), until: value('until') };
}
