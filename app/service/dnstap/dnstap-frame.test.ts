/** What is rebuilt of a query. Whole frames are judged by a reader of somebody else: e2e/system/dnstap.test.ts. */
import { expect, test } from 'vitest';
import { record } from '../query-log/event-record-fixture.ts';
import { dnstapFrames, dnstapMessage } from './dnstap-frame.ts';
import { queryMessage, responseMessage, wireName } from './wire-message.ts';

test.each([
  ['', '00'],
  ['.', '00'],
  ['a.bc', '01610262' + '6300'],
  ['a.bc.', '016102626300'],
  [String.raw`a\.b.c`, '03612e62016300'],
  [String.raw`\000\255.c`, '0200ff016300'],
  [String.raw`a\\.c`, '02615c016300'],
])('the name %j on the wire', (name, wire) => {
  expect(wireName(name).toString('hex')).toBe(wire);
});

test('a query has header and question', () => {
  const asked = { name: 'a.test', type: 28, class: 1 };
  expect(queryMessage(asked).toString('hex')).toBe(
    '000001000001000000000000' + '0161047465737400' + '001c0001',
  );
});

test.each([
  ['answered, and its records are not known', { answers: 2 }, '83a0', ''],
  ['without records', { answers: 0, flags: 0 }, '8180', ''],
  ['no such name', { answers: 0, flags: 0, rcode: 3 }, '8183', ''],
  [
    'refused with a reason',
    { flags: 0, rcode: 5, extendedError: 15 },
    '8185',
    '00002904d0000000000006' + '000f0002000f',
  ],
  ['BADVERS', { flags: 0, rcode: 16 }, '8180', '00002904d0010000000000'],
])('a response: %s', (_what, changes, flags, options) => {
  const octets = responseMessage(record({ name: '', ...changes })).toString('hex');
  expect(octets.slice(4, 8)).toBe(flags);
  expect(octets.slice(2 * (12 + 5))).toBe(options);
});

test('neither user, program nor container stands in a message, nor the reason that went out', () => {
  const secrets = {
    user: 'anna',
    program: 'firefox',
    executable: '/usr/bin/firefox',
    unit: 'app.scope',
    container: 'box',
    reason: 'because of anna',
  };
  const octets = dnstapMessage(record(secrets)).toString('latin1');
  for (const text of Object.values(secrets)) expect(octets).not.toContain(text);
  expect(octets).toContain('outcome=forwarded transport=tdns clear=none upstream=quad9');
});

test.each([
  ['2001:db8::1:2', '20010db8000000000000000000010002'],
  ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
  ['::1', '00000000000000000000000000000001'],
  ['192.0.2.1', 'c0000201'],
])('the address %s', (clientAddress, wire) => {
  expect(dnstapMessage(record({ clientAddress })).toString('hex')).toContain(wire);
});

test('each frame has its length before it', () => {
  const events = [record(), record({ name: 'a.test' })];
  const frames = dnstapFrames(events);
  const [first, second] = events.map(dnstapMessage) as [Buffer, Buffer];
  expect(frames.readUInt32BE(0)).toBe(first.length);
  expect(frames.readUInt32BE(4 + first.length)).toBe(second.length);
  expect(frames.length).toBe(8 + first.length + second.length);
});
