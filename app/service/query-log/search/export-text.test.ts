import { expect, test } from 'vitest';
import { record } from '../event-record-fixture.ts';
import { presentEvent } from '../present-event.ts';
import { csvHeader, csvLine, jsonLine } from './export-text.ts';

const hostile = presentEvent(
  record({
    name: `=cmd|' /c calc'!A1,\u202e"${'\\255'.repeat(20)}`,
    reason: `<script>\r\n${'t'.repeat(10_000)}\u0000`,
    rule: '@SUM(1+1)*cmd',
    upstream: '-2+3',
  }),
);

test('a row is one line with as many cells as the header, whatever is in it', () => {
  const cells = (line: string) => line.replace(/"(?:[^"]|"")*"/g, 'q').split(',');
  const line = csvLine(hostile);
  expect(line.match(/[\r\n]/g)).toEqual(['\r', '\n']);
  expect(cells(line.trimEnd())).toHaveLength(cells(csvHeader.trimEnd()).length);
  expect(line).not.toMatch(/(^|,)"?[=+\-@|]/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(line).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069]/);
});

test('as JSON it is the same event, with nothing invisible in it', () => {
  const line = jsonLine(hostile);
  expect(JSON.parse(line)).toEqual(hostile);
  expect(line.match(/[\r\n]/g)).toEqual(['\n']);
  expect(line).not.toContain('\u202e');
});
