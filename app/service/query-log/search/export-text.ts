/**
 * Rows as text for other programs: CSV whose cells are harmless, and JSON, one object a line. The text is made straight from
 * the record, since millions are written at once; a test compares it with `presentEvent`. Frequent texts – words, and what
 * stands before each value – are kept as octets: copying a hundred of them takes as long as writing five characters.
 */

import { classMnemonic, rcodeMnemonic, typeMnemonic } from '../../../contract/dns/dns-mnemonics.ts';
import {
  attributions,
  clearClasses,
  clientProtocols,
  costs,
  outcomes,
  transports,
} from '../../../contract/engine-words.ts';
import { csvText } from '../../../contract/query-log/csv-text.ts';
import { safeJson } from '../../../contract/text/visible-text.ts';
import {
  authenticDataFlag,
  type EventRecord,
  noExtendedError,
  type recordTexts,
} from '../../engine/boundary.ts';
import { applicationOf, forwards } from '../present-asker.ts';
import type { TextOctets } from './text-octets.ts';

export type ExportFormat = 'csv' | 'ndjson';

/** A record with the number of its name instead of the name, because many rows share few names. */
export type NumberedRecord = Omit<EventRecord, 'name'> & { nameId: number };
export type WriteRow = (to: TextOctets, row: NumberedRecord) => void;

type TextField = (typeof recordTexts)[number];
type NumberField = Exclude<keyof NumberedRecord, TextField>;
export type WriteName = (to: TextOctets, nameId: number) => void;
/** Writes one value, and what stands before it. */
type Part = (before: string, writeName: WriteName) => WriteRow;

/** Texts other than names are few, unless an attacker makes many. */
const mostRemembered = 4096;
/** Types above are rare, and no other field has as many values. */
const usualValues = 300;

const number =
  (field: NumberField): Part =>
  (before) => {
    const start = Buffer.from(before);
    return (to, row) => {
      to.octets(start);
      to.number(row[field]);
    };
  };
const milliseconds =
  (field: NumberField): Part =>
  (before) => {
    const start = Buffer.from(before);
    return (to, row) => {
      to.octets(start);
      to.milliseconds(row[field]);
    };
  };
const time: Part = (before) => {
  const start = Buffer.from(before);
  return (to, { at }) => {
    to.octets(start);
    to.time(at);
  };
};
/** Keeps the text of each usual value. */
const said =
  (field: NumberField, say: (value: number) => string): Part =>
  (before) => {
    const octetsOf = (value: number) => Buffer.from(before + say(value));
    const usual = Array.from({ length: usualValues }, (_, value) => octetsOf(value));
    return (to, row) => to.octets(usual[row[field]] ?? octetsOf(row[field]));
  };
const word = (field: NumberField, words: readonly string[]) =>
  said(field, (value) => words[value] ?? '');
const authenticData = said('flags', (flags) => String((flags & authenticDataFlag) !== 0));
const extendedError = (none: string) =>
  said('extendedError', (code) => (code === noExtendedError ? none : String(code)));
const text =
  (harmless: (text: string) => string, field: TextField): Part =>
  (before) => {
    const octetsOf = remembered((text) => before + harmless(text));
    return (to, row) => to.octets(octetsOf(row[field]));
  };
const forwardsFor: Part = (before) => {
  const [yes, no] = [Buffer.from(`${before}true`), Buffer.from(`${before}false`)];
  return (to, { program, executable }) => to.octets(forwards(program, executable) ? yes : no);
};
const name: Part = (before, writeName) => {
  const start = Buffer.from(before);
  return (to, { nameId }) => {
    to.octets(start);
    writeName(to, nameId);
  };
};

/** In the order of the file; the words are those of the contract. */
const columns: readonly [title: string, Part][] = [
  ['id', number('id')],
  ['time', time],
  ['name', name],
  ['type', said('type', typeMnemonic)],
  ['class', said('class', classMnemonic)],
  ['outcome', word('outcome', outcomes)],
  ['upstream', text(csvText, 'upstream')],
  ['transport', word('transport', transports)],
  ['cost', word('cost', costs)],
  ['ms', milliseconds('total')],
  ['clear', word('clear', clearClasses)],
  ['rcode', said('rcode', rcodeMnemonic)],
  ['extendedError', extendedError('')],
  ['rule', text(csvText, 'rule')],
  ['reason', text(csvText, 'reason')],
  ['policyMs', milliseconds('policy')],
  ['cacheMs', milliseconds('cache')],
  ['connectMs', milliseconds('connect')],
  ['waitMs', milliseconds('wait')],
  ['responseMs', milliseconds('response')],
  ['roundTrips', number('roundTrips')],
  ['handshakeMs', milliseconds('handshake')],
  ['sentOctets', number('sent')],
  ['receivedOctets', number('received')],
  ['queryOctets', number('queryOctets')],
  ['responseOctets', number('responseOctets')],
  ['answers', number('answers')],
  ['authenticData', authenticData],
  ['clientProtocol', word('clientProtocol', clientProtocols)],
  ['clientAddress', text(csvText, 'clientAddress')],
  ['clientPort', number('clientPort')],
  ['attribution', word('attribution', attributions)],
  ['program', text(csvText, 'program')],
  ['application', text((program) => csvText(applicationOf(program).name), 'program')],
  ['icon', text((program) => csvText(applicationOf(program).icon), 'program')],
  ['forwards', forwardsFor],
  ['unit', text(csvText, 'unit')],
  ['container', text(csvText, 'container')],
  ['executable', text(csvText, 'executable')],
  ['user', text(csvText, 'user')],
];

/** An event of the contract: what stands before each value, and the value. */
const members: readonly [before: string, Part][] = [
  ['{"id":', number('id')],
  [',"at":', milliseconds('at')],
  [',"name":"', name],
  ['","type":"', said('type', typeMnemonic)],
  ['","class":"', said('class', classMnemonic)],
  ['","outcome":"', word('outcome', outcomes)],
  ['","cost":"', word('cost', costs)],
  ['","transport":"', word('transport', transports)],
  ['","clear":"', word('clear', clearClasses)],
  ['","rcode":"', said('rcode', rcodeMnemonic)],
  ['","extendedError":', extendedError('null')],
  [',"ms":', milliseconds('total')],
  [',"stages":{"policy":', milliseconds('policy')],
  [',"cache":', milliseconds('cache')],
  [',"connect":', milliseconds('connect')],
  [',"wait":', milliseconds('wait')],
  [',"response":', milliseconds('response')],
  ['},"roundTrips":', number('roundTrips')],
  [',"handshakeMs":', milliseconds('handshake')],
  [',"sentOctets":', number('sent')],
  [',"receivedOctets":', number('received')],
  [',"queryOctets":', number('queryOctets')],
  [',"responseOctets":', number('responseOctets')],
  [',"answers":', number('answers')],
  [',"authenticData":', authenticData],
  [',"upstream":"', text(jsonText, 'upstream')],
  ['","rule":"', text(jsonText, 'rule')],
  ['","reason":"', text(jsonText, 'reason')],
  ['","client":{"protocol":"', word('clientProtocol', clientProtocols)],
  ['","address":"', text(jsonText, 'clientAddress')],
  ['","port":', number('clientPort')],
  ['},"asker":{"attribution":"', word('attribution', attributions)],
  ['","program":"', text(jsonText, 'program')],
  ['","application":"', text((program) => jsonText(applicationOf(program).name), 'program')],
  ['","icon":"', text((program) => jsonText(applicationOf(program).icon), 'program')],
  ['","forwards":', forwardsFor],
  [',"unit":"', text(jsonText, 'unit')],
  ['","container":"', text(jsonText, 'container')],
  ['","executable":"', text(jsonText, 'executable')],
  ['","user":"', text(jsonText, 'user')],
];

/** Within quotes. */
function jsonText(text: string): string {
  // Most texts need no change.
  return /^[\w.:-]*$/.test(text) ? text : safeJson(text).slice(1, -1);
}

const layouts: Record<ExportFormat, { parts: readonly [string, Part][]; end: string }> = {
  csv: {
    parts: columns.map(([, part], index) => [index === 0 ? '' : ',', part]),
    end: '\r\n',
  },
  ndjson: { parts: members, end: '"}}\n' },
};

/** What a file begins with. */
export const heads: Record<ExportFormat, string> = {
  csv: `${columns.map(([title]) => title).join()}\r\n`,
  ndjson: '',
};

/** How each format makes a name harmless. */
export const harmless: Record<ExportFormat, (text: string) => string> = {
  csv: csvText,
  ndjson: jsonText,
};

/** Belongs to one export: it remembers the texts that it wrote. */
export function rowWriter(format: ExportFormat, writeName: WriteName): WriteRow {
  const { parts, end } = layouts[format];
  const writes = parts.map(([before, part]) => part(before, writeName));
  const ending = Buffer.from(end);
  return (to, row) => {
    for (const write of writes) write(to, row);
    to.octets(ending);
  };
}

/** Most texts equal that of the row before: this comparison is faster than a look into the map. */
function remembered(say: (text: string) => string): (text: string) => Uint8Array {
  const known = new Map<string, Uint8Array>();
  const octetsOf = (text: string) => {
    const octets = known.get(text) ?? Buffer.from(say(text));
    if (known.size >= mostRemembered) known.clear();
    known.set(text, octets);
    return octets;
  };
  const empty = octetsOf('');
  let last = { text: '', octets: empty };
  return (text) => {
    if (text === '') return empty;
    if (text !== last.text) last = { text, octets: octetsOf(text) };
    return last.octets;
  };
}
