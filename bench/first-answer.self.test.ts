import { expect, test } from 'vitest';
import { addressAnswer, encodeQuery } from '../e2e/rig/message.ts';
import { hasData } from './first-answer.ts';

const query = encodeQuery('first.example', 'A', { edns: null });
const answer = addressAnswer(query, '203.0.113.7');

test('a response with an address counts', () => {
  expect(hasData(answer)).toBe(true);
});

test.each([
  { what: 'SERVFAIL', flags: 0x8182, count: 1 },
  { what: 'an empty response', flags: 0x8180, count: 0 },
  { what: 'a query', flags: 0x0100, count: 1 },
])('$what does not count', ({ flags, count }) => {
  const other = Buffer.from(answer);
  other.writeUInt16BE(flags, 2);
  other.writeUInt16BE(count, 6);
  expect(hasData(other)).toBe(false);
});

test('half a header does not count', () => {
  expect(hasData(answer.subarray(0, 8))).toBe(false);
});
