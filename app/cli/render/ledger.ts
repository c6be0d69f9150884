/** One permission to send in cleartext as one line: class, time, packets, who, where, for what. */
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { padEnd, padStart } from '../terminal/terminal-text.ts';

export function ledgerTitles(): string {
  return `${padStart('entry', 5)}  ${padEnd('class', 12)}  ${padEnd('since', 16)}  ${padEnd('until', 16)}  ${padStart('in cleartext', 8)}  by, where, why`;
}

export function renderLedgerLine(entry: LedgerEntry, terminal: Terminal): string {
  const { id, since, until, count, closed } = entry;
  const cells = [
    padStart(String(id), 5),
    padEnd(entry.class, 12),
    dayAndMinute(since),
    padEnd(until === null ? 'it is ended' : dayAndMinute(until), 16),
    padStart(count === null ? 'unknown' : String(count), 8),
    sayTerms(entry),
  ];
  const line = cells.join('  ');
  return closed === null ? terminal.paint('yellow', line) : line;
}

function sayTerms({ who, networkLabel, group, rule, reason, closed }: LedgerEntry): string {
  const what = [rule, group === '' ? '' : `group ${group}`].filter((word) => word !== '');
  return [
    safe(who),
    ...(networkLabel === '' ? [] : [`on ${safe(networkLabel)}`]),
    ...(what.length === 0 ? [] : [`for ${what.map(safe).join(', ')}`]),
    ...(reason === '' ? [] : [safe(reason)]),
    closed === null ? 'open' : `ended: ${safe(closed)}`,
  ].join('; ');
}
