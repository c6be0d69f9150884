/** Event records for tests, written the way the engine writes them. */
import type { EventRecord } from './event-record.ts';

export const sampleRecord: EventRecord = {
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
  reply: 44,
  questionOctets: 40,
  answerOctets: 468,
  clientPort: 53_211,
  roundTrips: 1,
  flags: 1,
  sent: 130,
  received: 470,
  handshake: 0,
  name: 'cdn.example.com',
  upstream: 'quad9',
  rule: '',
  reason: '',
  clientAddress: '127.0.0.1',
};

export function record(changes: Partial<EventRecord> = {}): EventRecord {
  return { ...sampleRecord, ...changes };
}

export function encodeBatch(records: readonly EventRecord[]): Buffer {
  return Buffer.concat(records.map(encodeRecord));
}

export function encodeRecord(event: EventRecord): Buffer {
  const fixed = Buffer.alloc(76);
  fixed.writeUInt8(2, 2);
  const { outcome, cost, transport, clientProtocol, clear } = event;
  fixed.set([outcome, cost, transport, clientProtocol, clear], 3);
  fixed.writeBigUInt64LE(BigInt(event.id), 8);
  fixed.writeBigUInt64LE(BigInt(event.at), 16);
  const shorts = [event.type, event.class, event.rcode, event.extendedError];
  for (const [index, value] of shorts.entries()) fixed.writeUInt16LE(value, 24 + 2 * index);
  const times = [event.total, event.policy, event.cache, event.connect, event.wait, event.reply];
  for (const [index, value] of times.entries()) fixed.writeUInt32LE(value, 32 + 4 * index);
  fixed.writeUInt16LE(event.questionOctets, 56);
  fixed.writeUInt16LE(event.answerOctets, 58);
  fixed.writeUInt16LE(event.clientPort, 60);
  fixed.set([event.roundTrips, event.flags], 62);
  const costs = [event.sent, event.received, event.handshake];
  for (const [index, value] of costs.entries()) fixed.writeUInt32LE(value, 64 + 4 * index);

  const name = Buffer.from(event.name);
  const nameLength = Buffer.alloc(2);
  nameLength.writeUInt16LE(name.length);
  const texts = [event.upstream, event.rule, event.reason, event.clientAddress].flatMap((text) => {
    const octets = Buffer.from(text);
    return [Buffer.from([octets.length]), octets];
  });
  const whole = Buffer.concat([fixed, nameLength, name, ...texts]);
  whole.writeUInt16LE(whole.length, 0);
  return whole;
}
