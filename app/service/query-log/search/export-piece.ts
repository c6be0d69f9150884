/** What fits, as text, one piece a time: as many rows as a message carries well. */
import type { Database } from 'better-sqlite3';
import type { LogResult } from '../../../contract/log-api.ts';
import type { LogFilter } from '../../../contract/log-filter.ts';
import { selectEvents } from '../event-columns.ts';
import type { EventRecord } from '../event-record.ts';
import { type ExportFormat, heads, writeRow } from './export-text.ts';
import { prepareSearch, walk } from './history-walk.ts';
import { stretchReader } from './rows-of-stretch.ts';
import { TextOctets } from './text-octets.ts';

export interface ExportRequest {
  filter: LogFilter;
  format: ExportFormat;
  before?: number | undefined;
  now: number;
}

export type ExportPiece = LogResult<'export'>;

const piece = { rows: 20_000, octets: 4 * 1024 * 1024 };

export function* exportPiece(
  database: Database,
  { filter, format, before, now }: ExportRequest,
): Generator<undefined, ExportPiece> {
  const wanted = yield* prepareSearch(database, filter, now);
  const read = stretchReader<EventRecord>(database, wanted, selectEvents);
  const text = new TextOctets();
  if (before === undefined) text.text(heads[format]);
  let rows = 0;
  let last = 0;
  for (const stretch of walk(database, wanted, before ?? Number.MAX_SAFE_INTEGER)) {
    for (const record of read(stretch, piece.rows - rows)) {
      writeRow(text, format, record);
      last = record.id;
      rows += 1;
      if (text.length >= piece.octets) break;
    }
    if (rows >= piece.rows || text.length >= piece.octets)
      return { text: text.toString(), rows, next: last };
    yield;
  }
  return { text: text.toString(), rows, next: null };
}
