/** The rows that fit, as text, piece by piece. */
import type { Database } from 'better-sqlite3';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import { selectNumberedEvents } from '../event-columns.ts';
import {
  type ExportFormat,
  harmless,
  heads,
  type NumberedRecord,
  rowWriter,
} from './export-text.ts';
import { prepareSearch, type Stretch, walk } from './log-walk.ts';
import { stretchReader } from './rows-of-stretch.ts';
import { TextOctets } from './text-octets.ts';
import { WrittenNames } from './written-names.ts';

export interface ExportRequest {
  filter: LogFilter;
  format: ExportFormat;
  now: number;
}

/** A part of the text: whole rows. */
export interface TextPiece {
  /** overwritten when the piece after the next is made */
  octets: Buffer;
  rows: number;
}

/** So much of the query log is written before the next look whether the piece is full. */
const stretchOctets = 1024 * 1024;

/** Newest first, in pieces of about so many octets, but for the last, which may be empty; undefined between two steps. */
export function* exportPieces(
  database: Database,
  { filter, format, now }: ExportRequest,
  octets: number,
): Generator<TextPiece | undefined, TextPiece> {
  const text = new TextOctets(octets + stretchOctets);
  text.text(heads[format]);
  const wanted = yield* prepareSearch(database, filter, now);
  const read = stretchReader<NumberedRecord>(database, wanted, selectNumberedEvents);
  const names = new WrittenNames(database, harmless[format]);
  const writeRow = rowWriter(format, (to, id) => names.write(to, id));
  // A row and its name are erased in one step, so they are read in one.
  const write = database.transaction((stretch: Stretch): number => {
    const records = read(stretch);
    for (const record of records) writeRow(text, record);
    return records.length;
  });
  let rows = 0;
  for (const stretch of walk(database, wanted, Number.MAX_SAFE_INTEGER)) {
    rows += write(stretch);
    if (text.length >= octets) {
      yield { octets: text.take(), rows };
      rows = 0;
    } else yield;
  }
  return { octets: text.take(), rows };
}
