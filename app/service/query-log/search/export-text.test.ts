import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventRecord } from '../../engine/boundary.ts';
import { record } from '../event-record-fixture.ts';
import { presentEvent } from '../present-event.ts';
import { type ExportFormat, harmless, heads, rowWriter } from './export-text.ts';
import { TextOctets } from './text-octets.ts';

const hostile = record({
  name: `=cmd|' /c calc'!A1,\u202e"${'\\255'.repeat(20)}`,
  reason: `<script>\r\n${'t'.repeat(10_000)}\u0000`,
  rule: '@SUM(1+1)*cmd',
  upstream: '-2+3 é🦊',
});

function line(format: ExportFormat, event: EventRecord): string {
  const text = new TextOctets(64);
  const write = rowWriter(format, (to) => to.text(harmless[format](event.name)));
  write(text, { ...event, nameId: 1 });
  return text.toString();
}

/** RFC 4180. */
function cells(text: string): string[] {
  return Array.from(text.trimEnd().matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), (cell) =>
    (cell[1] ?? cell[2] ?? '').replaceAll('""', '"'),
  );
}

test('a row is one line with as many cells as the header, whatever is in it', () => {
  const csv = line('csv', hostile);
  expect(csv.match(/[\r\n]/g)).toEqual(['\r', '\n']);
  expect(cells(csv)).toHaveLength(cells(heads.csv).length);
  expect(csv).not.toMatch(/(^|,)"?[=+\-@|]/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(csv).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069]/);
});

test('as JSON it is the same event, with nothing invisible in it', () => {
  const json = line('ndjson', hostile);
  expect(JSON.parse(json)).toEqual(presentEvent(hostile));
  expect(json.match(/[\r\n]/g)).toEqual(['\n']);
  expect(json).not.toContain('\u202e');
});

const microseconds = fc.oneof(
  fc.nat(5_000),
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc.nat(4_000_000).map((thousands) => thousands * 1000),
);
const anyRecord = fc
  .record({
    id: fc.maxSafeNat(),
    at: fc.integer({ min: 0, max: 4_102_444_800_000_000 }),
    name: fc.string({ unit: 'binary', maxLength: 40 }),
    outcome: fc.nat(8),
    type: fc.nat(65_535),
    rcode: fc.nat(4095),
    extendedError: fc.oneof(fc.nat(65_534), fc.constant(65_535)),
    total: microseconds,
    wait: microseconds,
    flags: fc.nat(1),
    sent: fc.integer({ min: 0, max: 0xffff_ffff }),
    reason: fc.string({ unit: 'binary', maxLength: 255 }),
  })
  .map(record);

test('both formats say what the event says, number for number', () => {
  fc.assert(
    fc.property(anyRecord, (event) => {
      const shown = presentEvent(event);
      expect(JSON.parse(line('ndjson', event))).toEqual(shown);
      const csv = Object.fromEntries(
        cells(heads.csv).map((title, index) => [title, cells(line('csv', event))[index]]),
      );
      const { id, at, type, outcome, rcode, extendedError, ms, stages, sentOctets } = shown;
      expect(csv).toMatchObject({
        ...{ id: `${id}`, time: new Date(at).toISOString(), type, outcome, rcode },
        ...{ extendedError: `${extendedError ?? ''}`, ms: `${ms}`, waitMs: `${stages.wait}` },
        ...{ sentOctets: `${sentOctets}`, authenticData: `${shown.authenticData}` },
      });
    }),
  );
});

test('what is longer than the room there is gets more of it', () => {
  const text = new TextOctets();
  const long = 'é🦊x'.repeat(200_000);
  text.text(long);
  text.number(7);
  expect(text.toString()).toBe(`${long}7`);
});
