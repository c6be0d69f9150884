/** Queries of the log for a simulation: alike ones together, page by page, the newest first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { attributions } from '../../../contract/engine-words.ts';
import type { EventRecord } from '../../engine/boundary.ts';
import { record } from '../event-record-fixture.ts';
import { LogStore } from '../log-store.ts';
import { runJob } from '../read-fixture.ts';
import type { AskedPage } from './asked-queries.ts';

let file = '';
beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  file = join(directory, 'queries.sqlite');
});

/** The second is the time. */
function fill(events: readonly Partial<EventRecord>[]): void {
  const store = new LogStore(file);
  store.limit({ keepDays: 36_500, maxMegabytes: 1000 });
  store.append(events.map((event, index) => record({ id: index + 1, at: index * 1e6, ...event })));
  store.close();
}

interface Request {
  before?: number;
  limit: number;
  withAskers?: boolean;
}

function asked(request: Request): Omit<AskedPage, 'queries'> & { queries: unknown[] } {
  const page = runJob(file, 'asked', { withAskers: false, now: 0, ...request });
  return { ...page, queries: (JSON.parse(page.queries) as unknown[]).toSorted() };
}

const [a, b] = [
  { name: 'a.example', type: 1 },
  { name: 'b.example', type: 65_280 },
];

test('alike queries are one, with their number', () => {
  fill([a, b, a, { ...a, type: 28 }]);
  expect(asked({ limit: 100 })).toEqual({
    askers: [null],
    queries: [
      ['a.example', 'A', 0, 2],
      ['a.example', 'AAAA', 0, 1],
      ['b.example', 'TYPE65280', 0, 1],
    ],
    ...{ rows: 4, leftOut: 0, since: 0, next: null },
  });
});

test('pages go back in time, miss nothing and repeat nothing', () => {
  fill(Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index % 7}.example` })));
  let [total, rows, before] = [0, 0, undefined as number | undefined];
  const since: (number | null)[] = [];
  do {
    const page = asked({ limit: 3000, ...(before === undefined ? {} : { before }) });
    for (const query of page.queries) total += (query as [string, string, number, number])[3];
    rows += page.rows;
    since.push(page.since);
    before = page.next ?? undefined;
  } while (before !== undefined);
  expect([total, rows]).toEqual([20_000, 20_000]);
  expect(since).toEqual(since.toSorted((one, other) => (other ?? 0) - (one ?? 0)));
});

test('what has no name or is of another class is counted apart', () => {
  fill([a, { name: '' }, { ...b, class: 3 }]);
  expect(asked({ limit: 100 })).toMatchObject({
    rows: 3,
    leftOut: 2,
    queries: [['a.example', 'A', 0, 1]],
  });
});

test('who asked keeps queries apart where it matters', () => {
  const known = attributions.indexOf('known');
  const by = (user: string, unit: string) => ({ ...a, user, unit, attribution: known });
  fill([by('anna', ''), by('anna', ''), by('0', 'cron.service'), a]);
  const { askers, queries } = asked({ limit: 100, withAskers: true });
  const told = (queries as [string, string, number, number][]).map(([, , at, count]) => [
    askers[at],
    count,
  ]);
  expect(told).toHaveLength(3);
  expect(told).toContainEqual([{ user: 'anna', unit: '' }, 2]);
  expect(told).toContainEqual([{ user: '0', unit: 'cron.service' }, 1]);
  expect(told).toContainEqual([null, 1]);
  expect(asked({ limit: 100 }).queries).toHaveLength(1);
});

test('an empty log has nothing', () => {
  fill([]);
  expect(asked({ limit: 10 })).toMatchObject({ rows: 0, queries: [], since: null, next: null });
});
