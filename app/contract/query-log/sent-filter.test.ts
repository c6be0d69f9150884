import { afterEach, expect, test } from 'vitest';
import { readLogFilter } from './log-filter-reading.ts';
import { timeOf } from './log-filter-values.ts';
import { inThisZone, sentFilter } from './sent-filter.ts';

const zone = process.env['TZ'];
function inZone<Value>(name: string, work: () => Value): Value {
  process.env['TZ'] = name;
  return work();
}
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

function momentsIn(text: string): number[] {
  const read = readLogFilter(text);
  if (!read.ok) throw new Error(read.problem.message);
  return read.terms.map(({ values }) => timeOf(values[0]?.text ?? '', 0));
}

test.each([
  ['since:2026-01-31T15:00 until:2026-07-01'],
  ['-since:2026-03-29T02:30'],
  ['until:"2026-01-31T15:00:03.412"'],
])('%s means the same moment to a service of another zone', (text) => {
  const typed = inZone('Asia/Kolkata', () => momentsIn(text));
  const sent = inZone('Asia/Kolkata', () => sentFilter(text));
  const read = inZone('America/New_York', () => momentsIn(sent));
  expect(read).toEqual(typed);
  expect(
    inZone('America/New_York', () => momentsIn(text)),
    'the trial can fail',
  ).not.toEqual(typed);
});

test.each([
  'since:1h until:5m type:A',
  'since:2026-01-31T15:00Z',
  'since:2026-01-31T15:00+02:00',
  'since:nonsense 2026-01-31',
  '"since:2026-01-31"',
  '',
])('%j goes as it was typed', (text) => {
  expect(sentFilter(text)).toBe(text);
});

test('what stands around a time stays', () => {
  const sent = inZone('UTC', () => sentFilter('  a,b since:2026-01-31  -type:A "x y"'));
  expect(sent).toBe('  a,b since:2026-01-31T00:00:00.000Z  -type:A "x y"');
});

test('calls about the query log are sent so, and no other', () => {
  const filter = 'since:2026-01-31';
  inZone('UTC', () => {
    expect(inThisZone('log.pour', { filter, format: 'csv' })).toEqual({
      filter: 'since:2026-01-31T00:00:00.000Z',
      format: 'csv',
    });
    expect(inThisZone('other.method', { filter })).toEqual({ filter });
    expect(inThisZone('log.follow', {})).toEqual({});
  });
});
