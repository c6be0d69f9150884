import { expect, test } from 'vitest';
import type { CountedRow } from '../../../contract/system/gate-protocol.ts';
import { aroundNow } from './goes-around.ts';
import { rowOfTally, type Viewer } from './map-rows.ts';
import { Tallies } from './tallies.ts';

const minute = 60_000;
const at = 1_000 * minute;
const administrator: Viewer = { role: 'administer', who: 'root' };

type Given = Partial<CountedRow> & { program?: string; group?: string };

function rowOf({ program = 'dig', group = '7', ...given }: Given = {}): CountedRow {
  return {
    by: { user: 1000, account: 'ann', group, program, container: '' },
    ...{ protocol: 17, port: 53, to: '192.0.2.1', tried: 1, left: 1, newest: at },
    ...given,
  };
}

/** Readings of the tables with these numbers, one after the other. */
function read(...readings: readonly (readonly [table: number, ...CountedRow[]])[]): Tallies {
  const tallies = new Tallies();
  for (const [table, ...rows] of readings) tallies.add({ table, rows }, (link) => link === 'eth0');
  return tallies;
}

const counts = (tallies: Tallies) =>
  tallies.list().map(({ sender, left, rejected }) => [sender.name, left, rejected]);

test.each<[string, Tallies, unknown[]]>([
  ['a first reading', read([1, rowOf({ tried: 5, left: 3 })]), [['dig', 3, 2]]],
  ['the same again', read([1, rowOf()], [1, rowOf()]), [['dig', 1, 0]]],
  ['more', read([1, rowOf()], [1, rowOf({ tried: 4, left: 4 })]), [['dig', 4, 0]]],
  ['a new table with the same number', read([1, rowOf()], [2, rowOf()]), [['dig', 2, 0]]],
  ['a row that the kernel forgot', read([1, rowOf()], [1], [1, rowOf()]), [['dig', 2, 0]]],
  [
    'a row forgotten and counted again between two readings',
    read([1, rowOf()], [1, rowOf({ newest: at + 11 * minute })]),
    [['dig', 2, 0]],
  ],
  [
    'two groups of one program',
    read([1, rowOf({ group: '7' }), rowOf({ group: '8' })]),
    [['dig', 2, 0]],
  ],
  ['only rejected', read([1, rowOf({ tried: 9, left: 0 })]), [['dig', 0, 9]]],
  [
    'more than can be told apart',
    read([1, rowOf({ by: null, to: null })], [1, rowOf({ by: null, to: null, tried: 5, left: 4 })]),
    [['', 4, 1]],
  ],
  ['a program without a name', read([1, rowOf({ program: '' })]), [['ann', 1, 0]]],
])('%s', (_what, tallies, expected) => {
  expect(counts(tallies)).toEqual(expected);
});

test('the newest sender and destination come first, and there are at most so many', () => {
  const many = Array.from({ length: 1000 }, (_, number) =>
    rowOf({ program: `p${number}`, newest: at + number }),
  );
  const tallies = read([1, ...many]).list();
  expect([tallies.length, tallies[0]?.sender.name]).toEqual([512, 'p999']);
  const addresses = Array.from({ length: 100 }, (_, number) =>
    rowOf({ to: `192.0.2.${number}`, newest: at + number }),
  );
  const [scanner] = read([1, ...addresses]).list();
  expect(scanner?.to).toHaveLength(8);
  expect(scanner).toMatchObject({ left: 100, since: at, newest: at + 99 });
  expect(scanner?.to[0]).toBe('192.0.2.99:53');
});

const forwarded = (link: string) =>
  rowOf({ by: { interface: link, from: '172.17.0.2' }, tried: 5, left: 5 });
const later = (row: CountedRow) => ({
  ...row,
  tried: row.tried + 5,
  left: row.left + 5,
  newest: row.newest + minute,
});

test('the verdict hears of programs and containers that repeat it, and not of other computers', () => {
  const rows = [rowOf({ tried: 2, left: 2 }), forwarded('docker0'), forwarded('eth0')];
  const tallies = read([1, ...rows], [1, ...rows.map(later)]).list();
  expect(aroundNow(tallies, [], at + minute)).toEqual([
    { kind: 'container', name: '172.17.0.2', count: 10, since: at },
    { kind: 'program', name: 'dig', count: 7, since: at },
  ]);
  expect(aroundNow(tallies, [], at + 30 * minute)).toEqual([]);
});

test('a headline names a few, however many there are', () => {
  const rows = Array.from({ length: 100 }, (_, number) =>
    rowOf({ program: `p${number}`, group: `${number}`, tried: 200, left: 2 + number }),
  );
  const around = aroundNow(read([1, ...rows], [1, ...rows.map(later)]).list(), [], at + minute);
  expect(around.map(({ name }) => name)).toEqual([
    ...['p99', 'p98', 'p97', 'p96', 'p95', 'p94', 'p93', 'p92', ''],
  ]);
  const all = rows.reduce((sum, { left }) => sum + left + 5, 0);
  expect(around.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(all);
});

test('what was rejected never goes around', () => {
  const rejected = rowOf({ tried: 5, left: 0 });
  const again = { ...rejected, tried: 50, newest: at + minute };
  const tallies = read([1, rejected], [1, again]).list();
  expect(aroundNow(tallies, [], at + minute)).toEqual([]);
  const [tally] = tallies;
  expect(tally && rowOfTally(tally, at + minute, administrator)).toMatchObject({
    count: 0,
    rejected: 50,
    weighs: false,
    text: expect.stringContaining('nothing left'),
  });
});

test.each<[string, Viewer, string, string | null]>([
  ['an administrator', administrator, 'dig', 'ann'],
  ['its own user', { role: 'control', who: 'ann' }, 'dig', 'ann'],
  ['another user', { role: 'control', who: 'bob' }, '', null],
  ['somebody unknown', { role: 'control', who: null }, '', null],
])('%s may or may not know the name', (_who, viewer, name, user) => {
  const [tally] = read([1, rowOf()]).list();
  const row = tally && rowOfTally(tally, at, viewer);
  expect(row).toMatchObject({ name, user, weighs: false, count: 1, to: ['192.0.2.1:53'] });
  expect(JSON.stringify(row).includes('dig')).toBe(name !== '');
});
