import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clearClasses, outcomes } from '../../../contract/engine-words.ts';
import { latencyError, seriesMethods } from '../../../contract/status/series.ts';
import { filesWith } from '../../base/octets-fixture.ts';
import { record } from '../event-record-fixture.ts';
import { addTime, type CoarseTimes, readTimes, timeWithin, writeTimes } from './coarse-times.ts';
import { type Figures, noFigures } from './figures.ts';
import { QuerySeries } from './query-series.ts';
import { SeriesStore, weekMinutes } from './series-store.ts';

const minute = 60_000;
/** A whole hour. */
const start = Date.UTC(2026, 10, 25, 12);
let folder: string;
let file: string;
let now: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-series-'));
  file = join(folder, 'series.sqlite');
  now = start;
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => new QuerySeries(file, () => now);

function event(
  at: number,
  outcome: (typeof outcomes)[number],
  { clear = 'none', upstream = 'quad9', total = 10_000 } = {},
) {
  return record({
    at: at * 1000,
    outcome: outcomes.indexOf(outcome),
    clear: clearClasses.indexOf(clear as 'none'),
    upstream,
    total,
  });
}

function read(series: QuerySeries, since: number, until: number, points = 60) {
  return seriesMethods.series.result.parse(series.read({ since, until, points }));
}

test('hours that a clock set ahead passes between two turns are kept', () => {
  const series = open();
  const hours = 3;
  for (let at = 0; at < hours * 60; at += 1) series.add(event(start + at * minute, 'forwarded'));
  const { outcomes: counts } = read(series, start, start + hours * 60 * minute, hours * 60);
  expect(counts.encrypted.reduce((sum, one) => sum + one, 0)).toBe(hours * 60);
  series.close();
});

test('queries are counted by class and minute, before and after they are written', () => {
  const series = open();
  series.add(event(start, 'forwarded'));
  series.add(event(start, 'cached'));
  series.add(event(start + minute, 'forwarded', { clear: 'bypass', upstream: '192.0.2.1' }));
  series.add(event(start + minute, 'forwarded', { clear: 'paused', upstream: '192.0.2.1' }));
  series.add(event(start + minute, 'refused'));
  series.add(event(start + minute, 'failed'));
  series.add(event(start + minute, 'local'));
  const expected = {
    since: start,
    step: minute,
    keptSince: start,
    outcomes: {
      encrypted: [1, 0, 0],
      cached: [1, 1, 0],
      exceptions: [0, 1, 0],
      unencrypted: [0, 1, 0],
      blocked: [0, 1, 0],
      failed: [0, 1, 0],
    },
  };
  expect(read(series, start, start + 3 * minute)).toMatchObject(expected);
  series.keep();
  expect(read(series, start, start + 3 * minute)).toMatchObject(expected);
  series.close();
  const again = open();
  again.add(event(start, 'cached'));
  again.close();
  expect(read(open(), start, start + 3 * minute).outcomes.cached).toEqual([2, 1, 0]);
});

test('how long an upstream took is merged truly over several minutes', () => {
  const series = open();
  for (let time = 1; time <= 100; time += 1)
    series.add(event(start + (time % 5) * minute, 'forwarded', { total: time * 1000 }));
  series.keep();
  const { upstreams } = read(series, start, start + 5 * minute, 2);
  expect(upstreams.map(({ id, queries }) => [id, queries])).toEqual([['quad9', [100]]]);
  expect(Math.abs((upstreams[0]?.p50[0] ?? 0) / 50 - 1)).toBeLessThan(latencyError);
  expect(Math.abs((upstreams[0]?.p95[0] ?? 0) / 95 - 1)).toBeLessThan(latencyError);
});

test('what failed is counted for its upstream, before and after it is written, in minutes and in hours', () => {
  const series = open();
  series.addFailed([
    ['quad9', 2],
    ['garden', 300],
  ]);
  series.add(event(start, 'forwarded'));
  series.keep();
  now += minute;
  series.addFailed([['quad9', 1]]);
  series.addFailed([]);
  const failedOf = (points: number, until: number) =>
    read(series, start, until, points).upstreams.map(({ id, failed, queries }) => [
      id,
      failed,
      queries,
    ]);
  const counted = [
    ['garden', [300, 0], [0, 0]],
    ['quad9', [2, 1], [1, 0]],
  ];
  expect(failedOf(2, start + 2 * minute)).toEqual(counted);
  series.keep();
  series.close();
  const again = open();
  again.addFailed([['quad9', 4]]);
  again.close();
  const hours = read(open(), start, start + 50 * 60 * minute).upstreams;
  expect(hours.map(({ id, failed }) => [id, failed[0]])).toEqual([
    ['garden', 300],
    ['quad9', 7],
  ]);
});

test.each([1, 7, 40, 99, 1000, 12_345, 800_000, 5_000_000, 2 ** 32 - 1])(
  'a time of %i µs keeps its size on the disk',
  (time) => {
    const times: CoarseTimes = new Map();
    addTime(times, time);
    const again = readTimes(writeTimes(times));
    expect(again).toEqual(times);
    const said = (timeWithin(again, 0.5) ?? 0) * 1000;
    expect(Math.abs(said - time)).toBeLessThanOrEqual(Math.max(2, latencyError * time));
  },
);

test('a range of days is made of whole hours', () => {
  const series = open();
  for (let hour = 0; hour < 50; hour += 1) {
    now = start + hour * 60 * minute;
    series.add(event(now, 'forwarded'));
    series.add(event(now + 59 * minute, 'cached'));
    series.keep();
  }
  const {
    since,
    step,
    outcomes: counted,
    upstreams,
  } = read(series, start + 5 * minute, start + 50 * 60 * minute);
  expect([since, step]).toEqual([start, 60 * minute]);
  expect(counted.encrypted).toEqual(new Array(50).fill(1));
  expect(counted.cached).toEqual(new Array(50).fill(1));
  expect(upstreams[0]?.queries).toEqual(new Array(50).fill(1));
  series.close();
});

test.each([
  [24, 720, 2],
  [24, 48, 30],
  [168, 720, 60],
  [168, 168, 60],
  [168, 5, 2040],
])('%i hours in %i points: %i minutes each, never a week of minutes', (hours, points, minutes) => {
  const series = open();
  now = start + hours * 60 * minute;
  const { step } = read(series, start, now, points);
  expect(step / minute).toBe(minutes);
});

test('a week of eight upstreams at full activity stays within ten megabytes, and the oldest goes first', () => {
  const store = new SeriesStore(file);
  const first = start / minute;
  const busy = (seed: number): Figures => {
    const figures = noFigures();
    figures.counts = figures.counts.map((_, at) => 300 + ((seed * 7 + at) % 100));
    for (let upstream = 0; upstream < 8; upstream += 1) {
      const times: CoarseTimes = new Map();
      for (let query = 0; query < 120; query += 1)
        addTime(times, 8_000 + ((seed * 131 + upstream * 17 + query * query * 37) % 60_000));
      figures.upstreams.set(`upstream-${upstream}`, times);
    }
    return figures;
  };
  const last = first + weekMinutes + 24 * 60;
  for (let at = first; at < last; at += 60) {
    const minutes = Array.from({ length: 60 }, (_, one) => [at + one, busy(at + one)] as const);
    store.add(new Map(minutes), at + 60);
  }
  expect(store.first()).toBeGreaterThanOrEqual(last - weekMinutes - 60);
  expect(last - (store.first() ?? 0)).toBeGreaterThanOrEqual(weekMinutes - 60);
  store.close();
  expect(statSync(file).size).toBeLessThanOrEqual(10_000_000);
}, 120_000);

test('what comes from a clock that was ahead is erased once the clock was right for a day', () => {
  const series = open();
  for (const day of [400, 0, 1]) {
    now = start + day * 86_400_000;
    series.add(event(now, 'cached'));
    series.keep();
  }
  series.close();
  const { outcomes: counted } = read(open(), start, start + 500 * 86_400_000, 2);
  expect(counted.cached.reduce((sum, one) => sum + one, 0)).toBe(2);
});

test('erasing leaves nothing, in the file either', () => {
  const series = open();
  series.add(event(start, 'forwarded', { upstream: 'zapfenstreich' }));
  series.keep();
  expect(filesWith('zapfenstreich', folder).length).toBeGreaterThan(0);
  series.add(event(start + minute, 'cached'));
  expect(series.clear()).toBeNull();
  expect(filesWith('zapfenstreich', folder)).toEqual([]);
  expect(read(series, start, start + minute)).toMatchObject({ keptSince: null, upstreams: [] });
  series.close();
});

test('a file that is no database is put aside; where nothing can be written, counting goes on in memory', () => {
  writeFileSync(file, 'this is no database, and longer than a header of SQLite: '.repeat(20));
  const series = open();
  series.add(event(start, 'cached'));
  series.keep();
  expect(existsSync(`${file}.damaged`)).toBe(true);
  now += minute;
  series.keep();
  series.close();
  expect(read(open(), start, start + minute).outcomes.cached).toEqual([1, 0].slice(0, 1));

  const nowhere = new QuerySeries('/proc/sotto/series.sqlite', () => now);
  for (let passed = 0; passed < 200; passed += 1)
    nowhere.add(event(start + passed * minute, 'cached'));
  nowhere.keep();
  const { outcomes: counted, keptSince } = read(nowhere, start, start + 200 * minute, 200);
  expect(keptSince).toBe(start + 140 * minute);
  expect(counted.cached.reduce((sum, one) => sum + one, 0)).toBe(60);
  expect(nowhere.clear()).not.toBeNull();
  nowhere.close();
});

test('erasing reaches a file that was put aside', () => {
  writeFileSync(file, 'this is no database, and it names zapfenstreich. '.repeat(20));
  const series = open();
  series.add(event(start, 'cached'));
  series.keep();
  expect(filesWith('zapfenstreich', folder)).not.toEqual([]);
  expect(series.clear()).toBeNull();
  expect(filesWith('zapfenstreich', folder)).toEqual([]);
  series.close();
});

test('a clock that is behind for an hour after a start takes nothing from the week', () => {
  const series = open();
  now = start - 2 * 86_400_000;
  series.add(event(now, 'cached'));
  series.keep();
  now = start;
  series.add(event(now, 'cached'));
  series.keep();
  for (let passed = 0; passed < 60; passed += 1) {
    now = passed * minute;
    series.add(event(now, 'cached'));
    series.keep();
  }
  now = start + minute;
  series.add(event(now, 'cached'));
  series.keep();
  const { outcomes: counted } = read(series, start - 2 * 86_400_000, start + 2 * minute, 720);
  expect(counted.cached.reduce((sum, one) => sum + one, 0)).toBe(3);
  series.close();
});

test('a second program that has the file takes nothing from the first', () => {
  const one = open();
  one.add(event(start, 'cached'));
  one.keep();
  const other = open();
  other.add(event(start, 'cached'));
  other.keep();
  expect(read(other, start, start + minute).outcomes.cached).toEqual([1]);
  one.close();
  now += minute;
  other.keep();
  other.close();
  expect(read(open(), start, start + minute).outcomes.cached).toEqual([2]);
});

test('a range without an end, or the wrong way round, is drawn in a few points', () => {
  const series = open();
  expect(read(series, 0, 1e15, 720).outcomes.cached.length).toBeLessThanOrEqual(721);
  expect(read(series, start, 0).outcomes.cached).toEqual([0]);
});

test('an upstream beyond the sixteenth is not told apart in a minute', () => {
  const series = open();
  for (let number = 0; number < 100; number += 1)
    series.add(event(start, 'forwarded', { upstream: `u${number}` }));
  const { upstreams, outcomes: counted } = read(series, start, start + minute);
  expect([upstreams.length, counted.encrypted]).toEqual([16, [100]]);
});
