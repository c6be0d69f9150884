/**
 * Rows as text for other programs: CSV whose cells are harmless, and JSON one a line. Straight from the record, since millions
 * are written at once; a test holds it to what `presentEvent` says.
 */
import { csvText } from '../../../contract/csv-text.ts';
import { classMnemonic, rcodeMnemonic, typeMnemonic } from '../../../contract/dns-mnemonics.ts';
import {
  clearClasses,
  clientProtocols,
  costs,
  outcomes,
  transports,
} from '../../../contract/query-event.ts';
import { safeJson } from '../../../contract/visible-text.ts';
import { authenticDataFlag, type EventRecord, noExtendedError } from '../event-record.ts';
import type { TextOctets } from './text-octets.ts';

export type ExportFormat = 'csv' | 'ndjson';

type TextField = 'name' | 'upstream' | 'rule' | 'reason' | 'clientAddress';
type NumberField = Exclude<keyof EventRecord, TextField>;
type Write = (to: TextOctets, event: EventRecord) => void;

const number =
  (field: NumberField): Write =>
  (to, event) =>
    to.number(event[field]);
const milliseconds =
  (field: NumberField): Write =>
  (to, event) =>
    to.milliseconds(event[field]);
const word =
  (field: NumberField, words: readonly string[]): Write =>
  (to, event) =>
    to.text(words[event[field]] ?? '');
const mnemonic =
  (field: NumberField, say: (value: number) => string): Write =>
  (to, event) =>
    to.text(say(event[field]));
const authenticData: Write = (to, { flags }) =>
  to.text((flags & authenticDataFlag) === 0 ? 'false' : 'true');
const extendedError =
  (none: string): Write =>
  (to, { extendedError: code }) =>
    code === noExtendedError ? to.text(none) : to.number(code);
const cell =
  (field: TextField): Write =>
  (to, event) =>
    to.text(csvText(event[field]));
/** Within quotes. */
const quoted =
  (field: TextField): Write =>
  (to, event) => {
    const text = event[field];
    // Most texts need nothing done to them.
    to.text(/^[\w.:-]*$/.test(text) ? text : safeJson(text).slice(1, -1));
  };
/** In the order of the file; the words are those of the contract. */
const columns: readonly [title: string, Write][] = [
  ['id', number('id')],
  ['time', (to, { at }) => to.time(at)],
  ['name', cell('name')],
  ['type', mnemonic('type', typeMnemonic)],
  ['class', mnemonic('class', classMnemonic)],
  ['outcome', word('outcome', outcomes)],
  ['upstream', cell('upstream')],
  ['transport', word('transport', transports)],
  ['cost', word('cost', costs)],
  ['ms', milliseconds('total')],
  ['clear', word('clear', clearClasses)],
  ['rcode', mnemonic('rcode', rcodeMnemonic)],
  ['extendedError', extendedError('')],
  ['rule', cell('rule')],
  ['reason', cell('reason')],
  ['policyMs', milliseconds('policy')],
  ['cacheMs', milliseconds('cache')],
  ['connectMs', milliseconds('connect')],
  ['waitMs', milliseconds('wait')],
  ['replyMs', milliseconds('reply')],
  ['roundTrips', number('roundTrips')],
  ['handshakeMs', milliseconds('handshake')],
  ['sentOctets', number('sent')],
  ['receivedOctets', number('received')],
  ['questionOctets', number('questionOctets')],
  ['answerOctets', number('answerOctets')],
  ['authenticData', authenticData],
  ['clientProtocol', word('clientProtocol', clientProtocols)],
  ['clientAddress', cell('clientAddress')],
  ['clientPort', number('clientPort')],
];

/** An event of the contract: what stands before each value, and the value. */
const members: readonly [before: string, Write][] = [
  ['{"id":', number('id')],
  [',"at":', milliseconds('at')],
  [',"name":"', quoted('name')],
  ['","type":"', mnemonic('type', typeMnemonic)],
  ['","class":"', mnemonic('class', classMnemonic)],
  ['","outcome":"', word('outcome', outcomes)],
  ['","cost":"', word('cost', costs)],
  ['","transport":"', word('transport', transports)],
  ['","clear":"', word('clear', clearClasses)],
  ['","rcode":"', mnemonic('rcode', rcodeMnemonic)],
  ['","extendedError":', extendedError('null')],
  [',"ms":', milliseconds('total')],
  [',"stages":{"policy":', milliseconds('policy')],
  [',"cache":', milliseconds('cache')],
  [',"connect":', milliseconds('connect')],
  [',"wait":', milliseconds('wait')],
  [',"reply":', milliseconds('reply')],
  ['},"roundTrips":', number('roundTrips')],
  [',"handshakeMs":', milliseconds('handshake')],
  [',"sentOctets":', number('sent')],
  [',"receivedOctets":', number('received')],
  [',"questionOctets":', number('questionOctets')],
  [',"answerOctets":', number('answerOctets')],
  [',"authenticData":', authenticData],
  [',"upstream":"', quoted('upstream')],
  ['","rule":"', quoted('rule')],
  ['","reason":"', quoted('reason')],
  ['","client":{"protocol":"', word('clientProtocol', clientProtocols)],
  ['","address":"', quoted('clientAddress')],
  ['","port":', number('clientPort')],
];

const layouts: Record<ExportFormat, { parts: readonly [string, Write][]; end: string }> = {
  csv: {
    parts: columns.map(([, write], index) => [index === 0 ? '' : ',', write]),
    end: '\r\n',
  },
  ndjson: { parts: members, end: '}}\n' },
};

/** What a file begins with. */
export const heads: Record<ExportFormat, string> = {
  csv: `${columns.map(([title]) => title).join()}\r\n`,
  ndjson: '',
};

export function writeRow(to: TextOctets, format: ExportFormat, event: EventRecord): void {
  const { parts, end } = layouts[format];
  for (const [before, write] of parts) {
    to.text(before);
    write(to, event);
  }
  to.text(end);
}
