/** The rows that fit, as text, piece by piece. */
import type { Database } from 'better-sqlite3';
import type { LogResult } from '../../../contract/query-log/log-api.ts';
import type { LogFilter } from '../../../contract/query-log/log-filter.ts';
import { selectNumberedEvents } from '../event-columns.ts';
import {
  type ExportFormat,
  harmless,
  heads,
  type NumberedRecord,
  rowWriter,
} from './export-text.ts';
import { prepareSearch, type Stretch, walk } from './history-walk.ts';
import { stretchReader } from './rows-of-stretch.ts';
import { TextOctets } from './text-octets.ts';
import { WrittenNames } from './written-names.ts';

export interface ExportRequest {
  filter: LogFilter;
  format: ExportFormat;
  before?: number | undefined;
  now: number;
}

export type ExportPiece = LogResult<'export'>;

/** A part of the text: whole rows. */
export interface TextPiece {
  /** overwritten when the piece after the next is made */
  octets: Buffer;
  rows: number;
}

/** A message carries so much well. */
const messageOctets = 4 * 1024 * 1024;
/** So much of the query log is written before the next look whether the piece is full. */
const stretchOctets = 1024 * 1024;

/** Pieces of about so many octets, but for the last, which may be empty; undefined between two steps. */
export function* exportPieces(
  database: Database,
  { filter, format, before, now }: ExportRequest,
  octets: number,
): Generator<TextPiece | undefined, TextPiece> {
  const text = new TextOctets(octets + stretchOctets);
  if (before === undefined) text.text(heads[format]);
  let rows = 0;
  for (const written of writeStretches(database, { filter, format, before, now }, text)) {
    rows += written?.rows ?? 0;
    if (text.length >= octets) {
      yield { octets: text.take(), rows };
      rows = 0;
    } else yield;
  }
  return { octets: text.take(), rows };
}

/** One piece, and the id where the next one begins. */
export function* exportPiece(
  database: Database,
  request: ExportRequest,
): Generator<undefined, ExportPiece> {
  const text = new TextOctets(messageOctets + stretchOctets);
  if (request.before === undefined) text.text(heads[request.format]);
  let rows = 0;
  for (const written of writeStretches(database, request, text)) {
    rows += written?.rows ?? 0;
    if (text.length >= messageOctets)
      return { text: text.toString(), rows, next: written?.last ?? null };
    yield;
  }
  return { text: text.toString(), rows, next: null };
}

interface Written {
  rows: number;
  /** id of the last row */
  last: number;
}

/** Newest first; undefined while it looks for rows to write. */
function* writeStretches(
  database: Database,
  { filter, format, before = Number.MAX_SAFE_INTEGER, now }: ExportRequest,
  text: TextOctets,
): Generator<Written | undefined, void> {
  const wanted = yield* prepareSearch(database, filter, now);
  const read = stretchReader<NumberedRecord>(database, wanted, selectNumberedEvents);
  const names = new WrittenNames(database, harmless[format]);
  const writeRow = rowWriter(format, (to, id) => names.write(to, id));
  // A row and its name are erased in one step, so they are read in one.
  const write = database.transaction((stretch: Stretch): Written | undefined => {
    const records = read(stretch);
    for (const record of records) writeRow(text, record);
    const last = records.at(-1)?.id;
    return last === undefined ? undefined : { rows: records.length, last };
  });
  for (const stretch of walk(database, wanted, before)) yield write(stretch);
}
