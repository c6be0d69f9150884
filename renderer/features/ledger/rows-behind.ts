/** The filter of the query log that shows which queries a permission let through. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { rulesInList } from '../../../app/contract/protection/list-word.ts';
import { type FilterTerm, writeLogFilter } from '../../../app/contract/query-log/log-filter.ts';

type Terms = Pick<LedgerEntry, 'class' | 'rule' | 'since' | 'until' | 'closed'>;

/** An open entry lets queries through until now, whenever it is to end. */
export function rowsBehind({ class: kind, rule, since, until, closed }: Terms): string {
  const over = closed !== null && until !== null;
  return writeLogFilter([
    term('clear', kind),
    // The log has the one rule of a list that each query met.
    ...(rule === '' || rulesInList(rule) !== null ? [] : [term('rule', rule)]),
    term('since', moment(Math.floor(since))),
    // Queries of its last millisecond belong to it.
    ...(over ? [term('until', moment(Math.ceil(until) + 1))] : []),
  ]);
}

function moment(unixMilliseconds: number): string {
  return new Date(unixMilliseconds).toISOString();
}

function term(field: FilterTerm['field'], text: string): FilterTerm {
  return { field, negated: false, values: [{ text, regex: false }] };
}
