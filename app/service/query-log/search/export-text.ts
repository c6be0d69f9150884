/** Rows as text for other programs: CSV whose cells are harmless, and JSON one a line. */

import { csvText } from '../../../contract/csv-text.ts';
import type { QueryEvent } from '../../../contract/query-event.ts';
import { safeJson } from '../../../contract/visible-text.ts';

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
