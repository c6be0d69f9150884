import { expect, test } from 'vitest';
import {
  clearClasses,
  clientProtocols,
  costs,
  outcomes,
  transports,
} from '../../contract/engine-words.ts';
import { queryEvent } from '../../contract/query-log/query-event.ts';
import { numbersEnd, recordNumbers } from '../engine/boundary.ts';
import { countRecords, decodeBatch } from './event-record.ts';
import { encodeBatch, encodeRecord, record, sampleRecord } from './event-record-fixture.ts';
import { presentEvent } from './present-event.ts';

const different = record({
  id: 2 ** 40 + 5,
  outcome: 8,
  cost: 4,
  transport: 4,
  clientProtocol: 2,
  clear: 6,
  type: 65_280,
  class: 3,
  rcode: 23,
  extendedError: 22,
  total: 0xffff_ffff,
  queryOctets: 1,
  responseOctets: 65_535,
  answers: 2,
  clientPort: 1,
  roundTrips: 255,
  flags: 0,
  sent: 0xffff_ffff,
  received: 3,
  handshake: 38_250,
  name: `${'\\001'.repeat(252)}.example`,
  upstream: 'u'.repeat(255),
  rule: 'corp.example',
  reason: 'kein Weg – “überall” zu',
  clientAddress: '2001:db8::1',
  attribution: 2,
  program: 'session',
  unit: 'session-2.scope',
  container: 'web',
  executable: '/usr/sbin/dnsmasq',
  user: 'ann',
});

test('every field of a batch comes back', () => {
  const batch = encodeBatch([sampleRecord, different, record({ name: '' })]);
  expect(decodeBatch(batch)).toEqual({
    records: [sampleRecord, different, record({ name: '' })],
    malformed: false,
  });
  expect(countRecords(batch)).toBe(3);
});

test('a batch may lie anywhere in a larger buffer', () => {
  const batch = encodeBatch([sampleRecord, different]);
  const larger = Buffer.concat([Buffer.alloc(13, 0xff), batch, Buffer.alloc(5, 0xff)]);
  const { records } = decodeBatch(larger.subarray(13, 13 + batch.length));
  expect(records).toEqual([sampleRecord, different]);
});

test.each([
  ['a length below the shortest', (octets: Buffer) => octets.writeUInt16LE(numbersEnd + 5, 0)],
  ['a length of nothing', (octets: Buffer) => octets.writeUInt16LE(0, 0)],
  ['a length beyond the batch', (octets: Buffer) => octets.writeUInt16LE(octets.length + 1, 0)],
  ['an unknown layout', (octets: Buffer) => octets.writeUInt8(1, 2)],
  ['an unknown outcome', (octets: Buffer) => octets.writeUInt8(outcomes.length, at('outcome'))],
  ['an unknown cost', (octets: Buffer) => octets.writeUInt8(costs.length, at('cost'))],
  [
    'an unknown transport',
    (octets: Buffer) => octets.writeUInt8(transports.length, at('transport')),
  ],
  [
    'an unknown protocol',
    (octets: Buffer) => octets.writeUInt8(clientProtocols.length, at('clientProtocol')),
  ],
  [
    'an unknown clear class',
    (octets: Buffer) => octets.writeUInt8(clearClasses.length, at('clear')),
  ],
  [
    'an id beyond safe integers',
    (octets: Buffer) => octets.writeUInt32LE(0xffff_ffff, at('id') + 4),
  ],
  ['a name longer than the record', (octets: Buffer) => octets.writeUInt16LE(500, numbersEnd)],
  ['texts that do not fill the record', (octets: Buffer) => octets.writeUInt16LE(14, numbersEnd)],
])('%s ends the batch after what came before', (_what, damage) => {
  const damaged = encodeRecord(sampleRecord);
  damage(damaged);
  const batch = Buffer.concat([encodeRecord(different), damaged, encodeRecord(sampleRecord)]);
  if (damaged.readUInt16LE(0) > damaged.length) {
    // Only the last record of a batch can claim octets that are not there.
    expect(decodeBatch(batch.subarray(0, -sampleLength()))).toEqual({
      records: [different],
      malformed: true,
    });
    return;
  }
  expect(decodeBatch(batch)).toEqual({ records: [different], malformed: true });
});

test('a batch cut off anywhere loses its last record only, and says so', () => {
  const first = encodeRecord(different);
  const batch = Buffer.concat([first, encodeRecord(sampleRecord)]);
  for (let length = first.length + 1; length < batch.length; length += 1) {
    const decoded = decodeBatch(batch.subarray(0, length));
    expect(decoded, `cut at ${length}`).toEqual({ records: [different], malformed: true });
  }
});

test('no octets whatever make the decoder throw', () => {
  let state = 0x2545f491;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  let decodedRecords = 0;
  for (let round = 0; round < 3000; round += 1) {
    const batch = encodeBatch([sampleRecord, different]);
    for (let change = 0; change < 3; change += 1) batch[random() % batch.length] = random();
    const { records } = decodeBatch(batch);
    decodedRecords += records.length;
    for (const one of records) queryEvent.parse(presentEvent(one));
    expect(countRecords(batch)).toBeGreaterThan(0);
  }
  expect(decodedRecords).toBeGreaterThan(0);
});

test('a record is presented in the words of the contract', () => {
  expect(queryEvent.parse(presentEvent(different))).toEqual({
    id: 2 ** 40 + 5,
    at: 1_767_225_600_123.456,
    name: different.name,
    type: 'TYPE65280',
    class: 'CH',
    outcome: 'dropped',
    cost: 'queued',
    transport: 'udp',
    clear: 'service-down',
    rcode: 'BADCOOKIE',
    extendedError: 22,
    ms: 4_294_967.295,
    stages: { policy: 0.011, cache: 0.022, connect: 3.3, wait: 8.9, response: 0.044 },
    roundTrips: 255,
    handshakeMs: 38.25,
    sentOctets: 4_294_967_295,
    receivedOctets: 3,
    queryOctets: 1,
    responseOctets: 65_535,
    answers: 2,
    authenticData: false,
    upstream: different.upstream,
    rule: 'corp.example',
    reason: different.reason,
    client: { protocol: 'control', address: '2001:db8::1', port: 1 },
    asker: {
      attribution: 'known',
      program: 'session',
      application: '',
      icon: '',
      forwards: true,
      unit: 'session-2.scope',
      container: 'web',
      executable: '/usr/sbin/dnsmasq',
      user: 'ann',
    },
  });
  const sample = presentEvent(sampleRecord);
  expect([sample.type, sample.class, sample.rcode]).toEqual(['HTTPS', 'IN', 'NOERROR']);
  expect([sample.extendedError, sample.authenticData]).toEqual([null, true]);
});

function at(field: keyof typeof recordNumbers): number {
  return recordNumbers[field].at;
}

function sampleLength(): number {
  return encodeRecord(sampleRecord).length;
}
