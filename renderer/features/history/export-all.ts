/** Fetches what fits piece by piece, as a file. */
import { type Result, succeed } from '../../../app/contract/errors.ts';
import type { Session } from '../../state/session.ts';

const types = { csv: 'text/csv;charset=utf-8', ndjson: 'application/x-ndjson' } as const;

/** null: it was stopped. `onProgress` hears how many rows are fetched. */
export async function exportAll(
  session: Session,
  filter: string,
  format: keyof typeof types,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<Result<Blob> | null> {
  const pieces: string[] = [];
  let rows = 0;
  let before: number | null = null;
  do {
    const at: { before?: number } = before === null ? {} : { before };
    const piece = await session.call('log.export', { filter, format, ...at });
    if (signal.aborted) return null;
    if (!piece.ok) return piece;
    pieces.push(piece.value.text);
    rows += piece.value.rows;
    onProgress(rows);
    before = piece.value.next;
  } while (before !== null);
  return succeed(new Blob(pieces, { type: types[format] }));
}
