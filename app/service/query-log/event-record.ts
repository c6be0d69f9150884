/**
 * The engine's event record (docs/design/engine-boundary.md), as numbers and strings: what the log stores.
 * `query-event.ts` of the contract is what people read; `presentEvent` leads from one to the other.
 */

/** One record. `at` and the times are in microseconds; enumerations are byte values of the contract's tuples. */
export interface EventRecord {
  id: number;
  at: number;
  outcome: number;
  cost: number;
  transport: number;
  clientProtocol: number;
  clear: number;
  type: number;
  class: number;
  rcode: number;
  /** `noExtendedError` where there is none */
  extendedError: number;
  total: number;
  policy: number;
  cache: number;
  connect: number;
  wait: number;
  reply: number;
  questionOctets: number;
  answerOctets: number;
  clientPort: number;
  roundTrips: number;
  flags: number;
  /** octets of its messages on the upstream's connection; 0 where it shared another's */
  sent: number;
  received: number;
  /** what opening the connection that carried it took; 0 where it was open */
  handshake: number;
  name: string;
  upstream: string;
  rule: string;
  reason: string;
  clientAddress: string;
}

export const noExtendedError = 65535;
export const authenticDataFlag = 1;

const layoutVersion = 2;
const fixedOctets = 76;
const shortestRecord = fixedOctets + 2 + 4;
/** Highest byte value of each enumeration, in the order of offsets 3 to 7; a test holds them against the contract. */
export const enumerationLimits = [8, 4, 4, 2, 8] as const;

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
  if (octets[start + 2] !== layoutVersion) return null;
  for (const [index, limit] of enumerationLimits.entries()) {
    if (view.getUint8(start + 3 + index) > limit) return null;
  }
  const id = safeUint64(view, start + 8);
  const at = safeUint64(view, start + 16);
  const texts = decodeTexts(octets, view, start + fixedOctets, end);
  if (id === null || at === null || texts === null) return null;
  return {
    id,
    at,
    outcome: view.getUint8(start + 3),
    cost: view.getUint8(start + 4),
    transport: view.getUint8(start + 5),
    clientProtocol: view.getUint8(start + 6),
    clear: view.getUint8(start + 7),
    type: view.getUint16(start + 24, true),
    class: view.getUint16(start + 26, true),
    rcode: view.getUint16(start + 28, true),
    extendedError: view.getUint16(start + 30, true),
    total: view.getUint32(start + 32, true),
    policy: view.getUint32(start + 36, true),
    cache: view.getUint32(start + 40, true),
    connect: view.getUint32(start + 44, true),
    wait: view.getUint32(start + 48, true),
    reply: view.getUint32(start + 52, true),
    questionOctets: view.getUint16(start + 56, true),
    answerOctets: view.getUint16(start + 58, true),
    clientPort: view.getUint16(start + 60, true),
    roundTrips: view.getUint8(start + 62),
    flags: view.getUint8(start + 63),
    sent: view.getUint32(start + 64, true),
    received: view.getUint32(start + 68, true),
    handshake: view.getUint32(start + 72, true),
    ...texts,
  };
}

type Texts = Pick<EventRecord, 'name' | 'upstream' | 'rule' | 'reason' | 'clientAddress'>;

/** The five strings fill the record exactly; anything else is a malformed record. */
function decodeTexts(octets: Buffer, view: DataView, start: number, end: number): Texts | null {
  let offset = start + 2 + view.getUint16(start, true);
  if (offset > end) return null;
  const name = octets.toString('utf8', start + 2, offset);
  const short: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    if (offset >= end) return null;
    const next = offset + 1 + view.getUint8(offset);
    if (next > end) return null;
    short.push(octets.toString('utf8', offset + 1, next));
    offset = next;
  }
  if (offset !== end) return null;
  const [upstream = '', rule = '', reason = '', clientAddress = ''] = short;
  return { name, upstream, rule, reason, clientAddress };
}

function safeUint64(view: DataView, offset: number): number | null {
  const value = view.getUint32(offset + 4, true) * 0x1_0000_0000 + view.getUint32(offset, true);
  return Number.isSafeInteger(value) ? value : null;
}
