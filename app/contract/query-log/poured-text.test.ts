import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PouredReader, partHead } from './poured-text.ts';

const encoder = new TextEncoder();
const head = (...words: Parameters<typeof partHead>) => [...partHead(...words)];

function readAll(chunks: readonly Uint8Array[]) {
  const reader = new PouredReader();
  let [text, rows] = ['', 0];
  const ends: unknown[] = [];
  for (const chunk of chunks)
    for (const part of reader.read(chunk)) {
      if (part.kind === 'text') text += String.fromCharCode(...part.octets);
      else if (part.kind === 'rows') rows += part.rows;
      else ends.push(part);
    }
  return { text, rows, ends };
}

test('however it is cut, the same text comes out', () => {
  const whole = Uint8Array.from([
    ...head('text', 4, 1),
    ...encoder.encode('id\r\n'),
    ...head('text', 6, 2),
    ...encoder.encode('1\r\n2\r\n'),
    ...head('end', 0),
  ]);
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
      expect(readAll(chunks)).toEqual({
        text: 'id\r\n1\r\n2\r\n',
        rows: 3,
        ends: [{ kind: 'end' }],
      });
    }),
  );
});

test('a failure is handed over as it was said', () => {
  const said = encoder.encode('{"code":"log-unavailable"}');
  const { ends } = readAll([partHead('failure', said.length), said]);
  expect(ends).toEqual([{ kind: 'failure', said: { code: 'log-unavailable' } }]);
});

test.each([
  ['another kind of part', Uint8Array.of(0x78, 0, 0, 0, 1, 0, 0, 0, 0)],
  ['a part that never ends', partHead('text', 0xffff_ffff)],
  ['a failure that never ends', partHead('failure', 0x10_0000)],
])('%s is refused', (_what, octets) => {
  expect(() => readAll([octets])).toThrow(RangeError);
});
