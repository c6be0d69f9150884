/** Lists of what occurs most and counts by facet equal those of SQL in the same file, with roll-ups, without, and after erasing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TopKind, topKinds } from '../../../contract/query-log/log-api.ts';
import {
  classOf,
  facetFilters,
  facets,
  queryClasses,
} from '../../../contract/query-log/query-class.ts';
import type { QueryEvent } from '../../../contract/query-log/query-event.ts';
import { filesWith } from '../../base/octets-fixture.ts';
import { record } from '../event-record-fixture.ts';
import { openForReading } from '../log-reader.ts';
import { LogStore } from '../log-store.ts';
import { filterOf, readEvents, runJob } from '../read-fixture.ts';
import { countFacets, type FacetsStep } from './count-facets.ts';
import { mostValues, rollUpSize } from './roll-up.ts';
import { domainOf } from './value-counts.ts';

const rows = 3 * rollUpSize + 700;
const begin = Date.UTC(2026, 0, 31);
const second = 1000;
let directory: string;
let file: string;

function event(id: number) {
  return record({
    id,
    at: (begin + id * second) * 1000,
    name:
      id < 50
        ? `x.zapfen${id}.org`
        : `w${id % 977}.site${id % 97}.${id % 3 === 0 ? 'co.uk' : 'com'}`,
    outcome: id % 7,
    clear: id % 11 === 0 ? 1 + (id % 4) : 0,
    total: (id % 400) * 1000,
    program: id % 10 === 0 ? 'session' : id % 5 === 0 ? '' : `program-${id % 13}`,
    executable: id % 7 === 0 ? '/usr/bin/dig' : '',
    container: id % 11 === 0 ? 'web' : '',
    clientAddress: `192.0.2.${id % 30}`,
  });
}

function fill(store: LogStore, from = 1, below = rows + 1): void {
  for (let first = from; first < below; first += 1000)
    store.append(
      Array.from({ length: Math.min(1000, below - first) }, (_, index) => event(first + index)),
    );
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
  file = join(directory, 'queries.sqlite');
  const store = new LogStore(file);
  store.limit({ keepDays: 3650, maxMegabytes: 1000 });
  fill(store);
  while (store.indexStep(begin));
  store.close();
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

function rollUps(of = file): number {
  return withFile(
    of,
    (database) => database.prepare('SELECT count(*) FROM roll_ups').pluck().get() as number,
  );
}

function withFile<Value>(of: string, work: (database: Database.Database) => Value): Value {
  const database = new Database(of, { readonly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const expressions: Record<TopKind, string> = {
  domain: 'domain(name)',
  program: `CASE WHEN program IN ('', 'session') AND executable <> '' THEN 'dig'
            WHEN container <> '' THEN container ELSE program END`,
  client: 'client_address',
};

function bySql(by: TopKind, since: number, until: number, of = file, condition = '1') {
  return withFile(of, (database) => {
    database.function('domain', (name) => domainOf(String(name)));
    return database
      .prepare(
        `SELECT ${expressions[by]} AS value, count(*) AS count FROM events JOIN names ON names.id = name_id
         WHERE at >= ? AND at < ? AND value <> '' AND ${condition} GROUP BY value ORDER BY count DESC, value LIMIT 100`,
      )
      .all(since * 1000, until * 1000);
  });
}

const spans: [since: number, until: number][] = [
  [0, begin * 2],
  [begin + 5_000 * second, begin + 40_000 * second],
  [begin + 100 * second, begin + 200 * second],
  [begin + (rows - 100) * second, begin * 2],
  [begin * 2, begin * 3],
];

test.each(spans.flatMap((span) => topKinds.map((by) => [by, ...span] as const)))(
  'most frequent of each %s from %i to %i',
  (by, since, until) => {
    expect(rollUps()).toBe(3);
    const filter = filterOf(`since:${iso(since)} until:${iso(until)}`);
    const request = { by, filter, limit: 100, now: begin };
    const { rows: found, queries, isExact } = runJob(file, 'top', request);
    expect(found.map(({ value, count }) => ({ value, count }))).toEqual(bySql(by, since, until));
    expect(isExact).toBe(true);
    expect(queries).toBe(count(`since:${iso(since)} until:${iso(until)}`));
  },
);

const conditions: [filter: string, sql: string][] = [
  ['slower:100ms', 'total > 100000'],
  ['-clear:none program:program-3', "clear <> 0 AND program = 'program-3' AND container = ''"],
  ['site9', "instr(name, 'site9') > 0"],
  ['name:w5.site5.com', "name = 'w5.site5.com'"],
];

test.each(conditions.flatMap((one) => topKinds.map((by) => [by, ...one] as const)))(
  'most frequent of each %s among those that fit "%s"',
  (by, filter, sql) => {
    const request = { by, filter: filterOf(filter), limit: 100, now: begin };
    const { rows: found, queries, isExact } = runJob(file, 'top', request);
    expect(found.map(({ value, count }) => ({ value, count }))).toEqual(
      bySql(by, 0, begin * 2, file, sql),
    );
    expect([queries, isExact]).toEqual([count(filter), true]);
  },
);

test.each([1, 7, 120, 1000])(
  '%i intervals of any time and filter hold what SQL counts',
  (buckets) => {
    for (const [since, until] of spans)
      for (const filter of ['', 'slower:100ms', 'site9', 'program:program-3 -outcome:cached']) {
        const request = { filter: filterOf(filter), from: since, to: until, buckets, now: begin };
        const { counts, width } = runJob(file, 'histogram', request);
        const found = events(`${filter} since:${iso(since)} until:${iso(until)}`);
        const expected = Object.fromEntries(
          queryClasses.map((name) => [name, new Array<number>(buckets).fill(0)]),
        );
        for (const one of found) {
          const list = expected[classOf(one)] as number[];
          const place = Math.floor((one.at - since) / width);
          list[place] = (list[place] ?? 0) + 1;
        }
        expect(counts).toEqual(expected);
      }
  },
);

test('without a begin, intervals begin with the oldest row, or an hour before', () => {
  const request = { filter: [], buckets: 10, now: begin };
  const all = runJob(file, 'histogram', { ...request, to: begin + rows * second + 1 });
  expect(all.from).toBe(begin + second);
  expect(
    Object.values(all.counts)
      .flat()
      .reduce((sum, one) => sum + one, 0),
  ).toBe(rows);
  expect(runJob(file, 'histogram', { ...request, to: begin + 2 * second }).from).toBe(
    begin + 2 * second - 3_600_000,
  );
});

test.each([
  '',
  `since:${iso(begin + 5_000 * second)} until:${iso(begin + 40_000 * second)}`,
  'type:HTTPS',
  'program:program-3',
  '-clear:none',
  'site9',
  'name:w5.site5.com',
  '/^w1.*uk$/ slower:100ms',
])('the counts by facet of "%s" are those of each filter', (filter) => {
  const { counts, isExact } = runJob(file, 'facets', { filter: filterOf(filter), now: begin });
  expect(isExact).toBe(true);
  for (const facet of facets)
    expect([facet, counts[facet]]).toEqual([facet, count(`${filter} ${facetFilters[facet]}`)]);
});

test('an estimate comes before, and says that it is one', () => {
  const database = openForReading(file);
  const steps = countFacets(database, { filter: filterOf('program:program-3'), now: begin });
  const told: FacetsStep[] = [];
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) break;
    if (step.value !== undefined) told.push(step.value);
  }
  database.close();
  expect(told.every(({ facets: { isExact } }) => !isExact)).toBe(true);
  const exact = count('program:program-3');
  expect(Math.abs((told.at(-1)?.facets.counts.all ?? 0) - exact)).toBeLessThan(exact / 10);
});

test('more values than a roll-up keeps are counted, and the list says that it is not exact', () => {
  const own = join(directory, 'many.sqlite');
  const store = new LogStore(own);
  const many = Array.from({ length: rollUpSize + 1 }, (_, index) => ({
    ...event(index),
    id: index,
    name: index % 2 === 0 ? 'common.example' : `name${index}.org`,
  }));
  store.append(many);
  while (store.indexStep(begin));
  const { rows: found, isExact } = runJob(own, 'top', {
    by: 'domain',
    filter: [],
    limit: 100,
    now: begin,
  });
  expect(found[0]).toEqual({ value: 'example', count: rollUpSize / 2 + 1, icon: null });
  expect(isExact).toBe(false);
  expect(mostValues).toBeLessThan(rollUpSize / 2);
  store.close();
});

test('a roll-up goes with the first of its rows, and names of erased rows are in no list and no file', () => {
  const own = mkdtempSync(join(directory, 'erased-'));
  const at = join(own, 'queries.sqlite');
  const store = new LogStore(at);
  store.limit({ keepDays: 3650, maxMegabytes: 1000 });
  fill(store, 1, 2 * rollUpSize + 1);
  while (store.indexStep(begin));
  expect(rollUps(at)).toBe(2);
  expect(filesWith('zapfen29', own)).not.toEqual([]);
  const day = 86_400_000;
  store.limit({ keepDays: 1, maxMegabytes: 1000 });
  const now = begin + 600 * second + day;
  while (store.trimStep(now));
  while (store.indexStep(now));
  expect(rollUps(at)).toBe(1);
  while (store.indexStep(now + 3_600_000));
  while (store.trimStep(now));
  expect(store.emptyJournal()).toBe(true);
  expect(filesWith('zapfen', own)).toEqual([]);
  expect(filesWith('site', own)).not.toEqual([]);
  const all = { filter: [], limit: 100, now: begin };
  expect(
    runJob(at, 'top', { by: 'domain', ...all }).rows.map(({ value, count: of }) => ({
      value,
      count: of,
    })),
  ).toEqual(bySql('domain', 0, begin * 2, at));
  store.clear();
  store.emptyJournal();
  expect(runJob(at, 'top', { by: 'domain', ...all })).toEqual({
    rows: [],
    queries: 0,
    isExact: true,
  });
  expect(filesWith('site', own)).toEqual([]);
  expect(filesWith('program-', own)).toEqual([]);
  store.close();
}, 60_000);

test('rows that are erased while their stretch is counted do not come back in its roll-up', () => {
  const own = join(directory, 'meanwhile.sqlite');
  const store = new LogStore(own);
  store.limit({ keepDays: 3650, maxMegabytes: 1000 });
  fill(store, 1, rollUpSize + 1);
  // Sixteen summaries of blocks come first; then eight blocks of the roll-up.
  for (let step = 0; step < 24; step += 1) store.indexStep(begin);
  store.limit({ keepDays: 1, maxMegabytes: 1000 });
  const now = begin + 3000 * second + 86_400_000;
  while (store.trimStep(now));
  while (store.indexStep(now));
  const { queries } = runJob(own, 'top', { by: 'client', filter: [], limit: 1, now: begin });
  expect(queries).toBe(store.rows);
  store.close();
});

test.each([
  ['www.example.co.uk', 'example.co.uk'],
  ['printer.local', 'local'],
  ['router', 'router'],
  ['4.3.2.1.in-addr.arpa', 'in-addr.arpa'],
  ['1.0.ip6.arpa', 'ip6.arpa'],
  ['_dns.resolver.arpa', 'resolver.arpa'],
])('%s counts as %s', (name, domain) => {
  expect(domainOf(name)).toBe(domain);
});

function events(filter: string): QueryEvent[] {
  return readEvents(file, { limit: 2 * rows, filter, now: begin });
}

function count(filter: string): number {
  return runJob(file, 'count', { filter: filterOf(filter), now: begin }).rows;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
