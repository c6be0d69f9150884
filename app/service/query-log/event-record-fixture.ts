/** Event records for tests, written the way the engine writes them. */
import {
  type EventRecord,
  numbersEnd,
  recordLayout,
  recordNumbers,
  recordTexts,
} from '../engine/boundary.ts';

/** A column that no test is about yet is 0. */
const zeros = Object.fromEntries(Object.keys(recordNumbers).map((field) => [field, 0])) as Record<
  keyof typeof recordNumbers,
  number
>;

export const sampleRecord: EventRecord = {
  ...zeros,
  id: 7,
  at: 1_767_225_600_123_456,
  outcome: 0,
  cost: 1,
  transport: 1,
  clientProtocol: 1,
  clear: 0,
  type: 65,
  class: 1,
  rcode: 0,
  extendedError: 65535,
  total: 12_345,
  policy: 11,
  cache: 22,
  connect: 3_300,
  wait: 8_900,
  response: 44,
  queryOctets: 40,
  responseOctets: 468,
  clientPort: 53_211,
  roundTrips: 1,
  flags: 1,
  sent: 130,
  received: 470,
  name: 'cdn.example.com',
  upstream: 'quad9',
  rule: '',
  reason: '',
  clientAddress: '127.0.0.1',
  program: '',
  unit: '',
  container: '',
  executable: '',
  user: '',
};

export function record(changes: Partial<EventRecord> = {}): EventRecord {
  return { ...sampleRecord, ...changes };
}

export function encodeBatch(records: readonly EventRecord[]): Buffer {
  return Buffer.concat(records.map(encodeRecord));
}

export function encodeRecord(event: EventRecord): Buffer {
  const numbers = Buffer.alloc(numbersEnd);
  numbers.writeUInt8(recordLayout, 2);
  for (const [field, { at, octets }] of entries(recordNumbers)) {
    if (octets === 8) numbers.writeBigUInt64LE(BigInt(event[field]), at);
    else numbers.writeUIntLE(event[field], at, octets);
  }
  const name = Buffer.from(event.name);
  const nameLength = Buffer.alloc(2);
  nameLength.writeUInt16LE(name.length);
  const texts = recordTexts.flatMap((field) => {
    const octets = Buffer.from(event[field]);
    return [Buffer.from([octets.length]), octets];
  });
  const whole = Buffer.concat([numbers, nameLength, name, ...texts]);
  whole.writeUInt16LE(whole.length, 0);
  return whole;
}

function entries<Key extends string, Value>(of: Record<Key, Value>): [Key, Value][] {
  return Object.entries(of) as [Key, Value][];
}
