/** Fetches the rows that fit, as a file. */
import { fail, type Result, succeed } from '../../../app/contract/errors.ts';
import { type Poured, PouredReader } from '../../../app/contract/query-log/poured-text.ts';
import type { Octets } from '../../bridge/connection.ts';
import { readReply } from '../../bridge/reply.ts';
import type { Session } from '../../state/session.ts';

const types = { csv: 'text/csv;charset=utf-8', ndjson: 'application/x-ndjson' } as const;

type Format = keyof typeof types;

/** null: a person stopped it. `onProgress` gets the number of rows so far. */
export async function exportAll(
  session: Session,
  filter: string,
  format: Format,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<Result<Blob> | null> {
  const pouring = session.pour({ filter, format }, signal);
  const fetched =
    pouring === null
      ? await pieceByPiece(session, { filter, format }, onProgress, signal)
      : await inOne(await pouring, onProgress);
  if (signal.aborted) return null;
  return fetched.ok ? succeed(new Blob(fetched.value, { type: types[format] })) : fetched;
}

async function inOne(
  poured: Result<Octets>,
  onProgress: (rows: number) => void,
): Promise<Result<BlobPart[]>> {
  if (!poured.ok) return poured;
  const reader = new PouredReader();
  const gather = gatherer(onProgress);
  try {
    for await (const chunk of poured.value) {
      for (const part of reader.read(chunk)) {
        const outcome = gather(part);
        if (outcome !== null) return outcome;
      }
    }
  } catch {
    // However it ended, it ended early.
  }
  return endedEarly;
}

/** null: more is to come. */
function gatherer(onProgress: (rows: number) => void): (part: Poured) => Result<BlobPart[]> | null {
  const whole: Blob[] = [];
  const texts: BlobPart[] = [];
  let rows = 0;
  return (part) => {
    if (part.kind === 'end') return succeed([...whole, ...texts]);
    if (part.kind === 'failure') return failed(part.said);
    if (part.kind === 'text') {
      texts.push(part.octets as Uint8Array<ArrayBuffer>);
      return null;
    }
    // The browser keeps what is in a blob, on the disk if it is much.
    whole.push(new Blob(texts.splice(0)));
    rows += part.rows;
    onProgress(rows);
    return null;
  };
}

const endedEarly = fail('connection-lost', 'the export ended early', 'try again');

function failed(said: unknown): Result<never> {
  const reply = readReply('log.pour', { ok: false, failure: said });
  return reply.ok ? endedEarly : reply;
}

async function pieceByPiece(
  session: Session,
  wanted: { filter: string; format: Format },
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<Result<BlobPart[]>> {
  const texts: string[] = [];
  let rows = 0;
  let before: number | null = null;
  do {
    const at: { before?: number } = before === null ? {} : { before };
    const piece = await session.call('log.export', { ...wanted, ...at });
    if (!piece.ok) return piece;
    texts.push(piece.value.text);
    rows += piece.value.rows;
    onProgress(rows);
    before = piece.value.next;
  } while (before !== null && !signal.aborted);
  return succeed(texts);
}
