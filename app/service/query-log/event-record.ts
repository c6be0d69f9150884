/** Batches of event records, as the engine hands them over: `boundary.ts` has their layout. */
import {
  type EventRecord,
  numbersEnd,
  readNumbers,
  recordLayout,
  recordTexts,
  recordWords,
} from '../engine/boundary.ts';

/** A record has two octets of length before its name, and one before each other text. */
const shortestRecord = numbersEnd + 2 + recordTexts.length;
const wordLists = Object.entries(recordWords) as [keyof typeof recordWords, readonly string[]][];

/** What a batch held: the records before the first malformed one, and whether there was one. */
export interface DecodedBatch {
  records: EventRecord[];
  malformed: boolean;
}

export function decodeBatch(batch: Uint8Array): DecodedBatch {
  const octets = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength);
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  const records: EventRecord[] = [];
  let offset = 0;
  while (offset < octets.length) {
    const record = decodeRecord(octets, view, offset);
    if (record === null) return { records, malformed: true };
    records.push(record);
    offset += view.getUint16(offset, true);
  }
  return { records, malformed: false };
}

/** Records in a batch, by their lengths alone: what is lost when a batch is dropped unread. */
export function countRecords(batch: Uint8Array): number {
  let count = 0;
  let offset = 0;
  while (offset < batch.length) {
    const length = (batch[offset] ?? 0) | ((batch[offset + 1] ?? 0) << 8);
    count += 1;
    if (length < shortestRecord) break;
    offset += length;
  }
  return count;
}

function decodeRecord(octets: Buffer, view: DataView, start: number): EventRecord | null {
  if (octets.length - start < shortestRecord) return null;
  const end = start + view.getUint16(start, true);
  if (end - start < shortestRecord || end > octets.length) return null;
  if (octets[start + 2] !== recordLayout) return null;
  const numbers = readNumbers(view, start);
  if (!Number.isSafeInteger(numbers.id) || !Number.isSafeInteger(numbers.at)) return null;
  for (const [field, words] of wordLists) if (numbers[field] >= words.length) return null;
  const texts = decodeTexts(octets, view, start + numbersEnd, end);
  return texts === null ? null : { ...numbers, ...texts };
}

type Texts = Pick<EventRecord, 'name' | (typeof recordTexts)[number]>;

/** The texts fill the record exactly; anything else is a malformed record. */
function decodeTexts(octets: Buffer, view: DataView, start: number, end: number): Texts | null {
  let offset = start + 2 + view.getUint16(start, true);
  if (offset > end) return null;
  const texts: Texts = {
    name: octets.toString('utf8', start + 2, offset),
    upstream: '',
    rule: '',
    reason: '',
    clientAddress: '',
    program: '',
    unit: '',
    container: '',
    executable: '',
    user: '',
  };
  for (const field of recordTexts) {
    if (offset >= end) return null;
    const next = offset + 1 + view.getUint8(offset);
    if (next > end) return null;
    texts[field] = octets.toString('utf8', offset + 1, next);
    offset = next;
  }
  return offset === end ? texts : null;
}
