/** The ledger as a file for spreadsheets, with the contract's words. */

import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { csvText } from '../../../app/contract/query-log/csv-text.ts';

const columns: readonly [title: string, cell: (entry: LedgerEntry) => string][] = [
  ['id', ({ id }) => `${id}`],
  ['class', (entry) => entry.class],
  ['network', ({ network }) => network],
  ['networkLabel', ({ networkLabel }) => networkLabel],
  ['group', ({ group }) => group],
  ['rule', ({ rule }) => rule],
  ['reason', ({ reason }) => reason],
  ['who', ({ who }) => who],
  ['since', ({ since }) => new Date(since).toISOString()],
  ['until', ({ until }) => (until === null ? '' : new Date(until).toISOString())],
  ['count', ({ count }) => `${count ?? ''}`],
  ['closed', ({ closed }) => closed ?? ''],
];

export function ledgerCsv(entries: readonly LedgerEntry[]): string {
  const lines = entries.map((entry) => columns.map(([, cell]) => csvText(cell(entry))).join());
  return [columns.map(([title]) => title).join(), ...lines, ''].join('\r\n');
}
