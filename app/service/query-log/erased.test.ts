/** Erased names are in none of the query log's files any more: the test reads their octets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HealthIssue } from '../../contract/status/health-issue.ts';
import { filesWith } from '../base/octets-fixture.ts';
import { encodeBatch, record } from './event-record-fixture.ts';
import { logHealth } from './log-health.ts';
import { LogStore } from './log-store.ts';
import { LogWriter } from './log-writer.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 0, 31);

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
  file = join(directory, 'queries.sqlite');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Names in no order, so that the pages of their index are divided again and again. */
function named(word: string, count: number, at: number, firstId: number) {
  return Array.from({ length: count }, (_, index) => {
    const scattered = ((firstId + index) * 2_654_435_761) % 2 ** 32;
    const name = `${scattered.toString(36)}.${word}.example`;
    return record({ id: firstId + index, at: at * 1000, name, reason: `${name} has no address` });
  });
}

test('names that were trimmed are gone within the hour in which their index is made anew', () => {
  const store = new LogStore(file);
  store.limit({ keepDays: 30, maxMegabytes: 64 });
  for (let part = 0; part < 8; part++) {
    store.append(named('zapfen', 1000, now - 40 * day, part * 2000 + 1));
    store.append(named('kept', 1000, now, part * 2000 + 1001));
  }
  while (store.indexStep(now));
  expect(filesWith('zapfen', directory).length).toBeGreaterThan(0);
  while (store.trimStep(now));
  expect(store.rows).toBe(8000);
  while (store.indexStep(now));
  while (store.indexStep(now + 3_600_000));
  while (store.trimStep(now));
  expect(store.emptyJournal()).toBe(true);
  expect(filesWith('zapfen', directory)).toEqual([]);
  expect(filesWith('kept', directory)).toEqual(['queries.sqlite']);
  store.close();
});

test('a reader that holds up the erasing is told of, and what was erased is gone as soon as it ends', () => {
  const due: (() => void)[] = [];
  const told: (HealthIssue | null)[] = [];
  const health = logHealth((issue) => told.push(issue));
  const settings = { mode: 'full', programs: true, keepDays: 30, maxMegabytes: 64 } as const;
  const writer = new LogWriter(
    { file, settings, lastId: 0 },
    {
      now: () => now,
      later: (_milliseconds, work) => void due.push(work),
      onLive: () => {},
      onTap: () => {},
      onStatus: () => health(writer.status),
    },
  );
  const run = (times: number) => {
    for (let time = 0; time < times; time++) for (const work of due.splice(0)) work();
  };
  writer.accept(encodeBatch(named('zapfen', 500, now, 1)));
  run(5);
  const reader = new Database(file, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM names').get();

  expect(writer.clear()).toBe(null);
  run(4);
  expect(told.at(-1)).toMatchObject({ code: 'log-erasing-held-up', since: now });
  expect(filesWith('zapfen', directory)).not.toEqual([]);

  reader.close();
  run(2);
  expect(told.at(-1)).toBe(null);
  expect(filesWith('zapfen', directory)).toEqual([]);
  writer.close();
});

test.each(['domain', 'counts', 'off'] as const)(
  'after a change to %s no name is written that it would not keep, and an erased query log holds none',
  (mode) => {
    const due: (() => void)[] = [];
    const settings = { mode: 'full', programs: true, keepDays: 30, maxMegabytes: 64 } as const;
    const later = (_milliseconds: number, work: () => void) => void due.push(work);
    const around = { now: () => now, later, onLive: () => {}, onTap: () => {}, onStatus: () => {} };
    const writer = new LogWriter({ file, settings, lastId: 0 }, around);
    const run = () => {
      for (
        let work = due.shift(), left = 50;
        work !== undefined && left > 0;
        work = due.shift(), left--
      )
        work();
    };
    writer.accept(encodeBatch(named('zapfen', 500, now, 1)));
    writer.configure({ ...settings, mode });
    writer.accept(encodeBatch([record({ at: now * 1000, name: 'secret.tannen.example' })]));
    run();
    expect(filesWith('secret', directory)).toEqual([]);
    expect(writer.clear()).toBe(null);
    expect(filesWith('zapfen', directory)).toEqual([]);
    expect(filesWith('tannen', directory)).toEqual([]);
    writer.close();
  },
);

test('erasing the query log erases the figures of the week, too', () => {
  const settings = { mode: 'counts', programs: true, keepDays: 30, maxMegabytes: 64 } as const;
  const around = {
    now: () => now,
    later: () => {},
    onLive: () => {},
    onTap: () => {},
    onStatus: () => {},
  };
  const writer = new LogWriter({ file, settings, lastId: 0 }, around);
  writer.accept(encodeBatch([record({ at: now * 1000, upstream: 'zapfenstreich' })]));
  writer.tick();
  expect(filesWith('zapfenstreich', directory).length).toBeGreaterThan(0);
  expect(writer.clear()).toBeNull();
  expect(filesWith('zapfenstreich', directory)).toEqual([]);
  writer.close();
});
