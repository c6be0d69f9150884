/**
 * Rows as text for other programs: CSV as RFC 4180 has it, and JSON one a line. A spreadsheet takes a cell that begins like a
 * formula for one, so such a cell gets an apostrophe in front; what is invisible or turns the line around is escaped.
 */

import type { QueryEvent } from '../../../contract/query-event.ts';
import { safe, safeJson } from '../../../contract/visible-text.ts';

type Cell = string | number | boolean | null;

/** In the order of the file; the words are those of the contract. */
const columns: readonly [title: string, cell: (event: QueryEvent) => Cell][] = [
  ['id', ({ id }) => id],
  ['time', ({ at }) => new Date(at).toISOString()],
  ['name', ({ name }) => name],
  ['type', ({ type }) => type],
  ['class', (event) => event.class],
  ['outcome', ({ outcome }) => outcome],
  ['upstream', ({ upstream }) => upstream],
  ['transport', ({ transport }) => transport],
  ['cost', ({ cost }) => cost],
  ['ms', ({ ms }) => ms],
  ['clear', ({ clear }) => clear],
  ['rcode', ({ rcode }) => rcode],
  ['extendedError', ({ extendedError }) => extendedError],
  ['rule', ({ rule }) => rule],
  ['reason', ({ reason }) => reason],
  ['policyMs', ({ stages }) => stages.policy],
  ['cacheMs', ({ stages }) => stages.cache],
  ['connectMs', ({ stages }) => stages.connect],
  ['waitMs', ({ stages }) => stages.wait],
  ['replyMs', ({ stages }) => stages.reply],
  ['roundTrips', ({ roundTrips }) => roundTrips],
  ['handshakeMs', ({ handshakeMs }) => handshakeMs],
  ['sentOctets', ({ sentOctets }) => sentOctets],
  ['receivedOctets', ({ receivedOctets }) => receivedOctets],
  ['questionOctets', ({ questionOctets }) => questionOctets],
  ['answerOctets', ({ answerOctets }) => answerOctets],
  ['authenticData', ({ authenticData }) => authenticData],
  ['clientProtocol', ({ client }) => client.protocol],
  ['clientAddress', ({ client }) => client.address],
  ['clientPort', ({ client }) => client.port],
];

export const csvHeader = `${columns.map(([title]) => title).join()}\r\n`;

export function csvLine(event: QueryEvent): string {
  let line = '';
  for (const [, cell] of columns) {
    const value = cell(event);
    if (line !== '') line += ',';
    line += typeof value === 'string' ? csvText(value) : (value ?? '');
  }
  return `${line}\r\n`;
}

export function jsonLine(event: QueryEvent): string {
  return `${safeJson(event)}\n`;
}

/** What spreadsheets take for the beginning of one, full-width forms and leading blanks included. */
const formula = /^\s*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/;
/** Most texts need nothing done to them. */
const plain = /^[a-z0-9_][\w.:-]*$/i;

export function csvText(text: string): string {
  if (text === '' || plain.test(text)) return text;
  const shown = safe(text);
  const disarmed = formula.test(shown) ? `'${shown}` : shown;
  return /[",\r\n ']/.test(disarmed) ? `"${disarmed.replaceAll('"', '""')}"` : disarmed;
}
