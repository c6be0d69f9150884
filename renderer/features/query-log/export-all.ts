/** Fetches the rows that fit, as a file. */
import { fail, type Result, succeed } from '../../../app/contract/errors.ts';
import { readReply } from '../../../app/contract/fitting/reply.ts';
import { type Poured, PouredReader } from '../../../app/contract/query-log/poured-text.ts';
import type { Octets } from '../../bridge/connection.ts';
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
  const poured = await session.pour({ filter, format }, signal);
  const fetched = poured.ok ? await gathered(poured.value, onProgress) : poured;
  if (signal.aborted) return null;
  return fetched.ok ? succeed(new Blob(fetched.value, { type: types[format] })) : fetched;
}

async function gathered(
  octets: Octets,
  onProgress: (rows: number) => void,
): Promise<Result<BlobPart[]>> {
  const reader = new PouredReader();
  const gather = gatherer(onProgress);
  try {
    for await (const chunk of octets) {
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
