import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { record } from './event-record-fixture.ts';
import { octetsOnDisk } from './log-file.ts';
import { LogStore } from './log-store.ts';
import { presentEvent } from './present-event.ts';
import { readEvents } from './read-fixture.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 0, 31);

let directory: string;
let file: string;
let store: LogStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
  file = join(directory, 'queries.sqlite');
  store = new LogStore(file);
});

afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true });
});

const hostileNames = [
  "'); drop table events; --",
  '\\000\\027[2j.example',
  '%_*?[a-z]',
  '',
  '\u202egnp.exe',
  `${'\\255'.repeat(250)}`,
];

test('every field and hostile names survive', () => {
  const events = hostileNames.map((name, index) =>
    record({
      id: index + 1,
      name,
      rule: name.slice(0, 60),
      reason: '\u001b]0;x\u0007',
      extendedError: index,
    }),
  );
  store.append(events);
  expect(readEvents(file, { limit: 100 })).toEqual(events.map(presentEvent).reverse());
});

test('filters narrow, and pages follow each other', () => {
  const at = (index: number) => (now + index * 1000) * 1000;
  store.append(
    [1, 2, 3, 4, 5, 6].map((id) =>
      record({
        id,
        at: at(id),
        name: id % 2 ? 'odd.example' : 'even.example',
        outcome: id > 4 ? 6 : 0,
      }),
    ),
  );
  const ids = (filter: string, page: { limit?: number; before?: number } = {}) =>
    readEvents(file, { limit: 10, filter, now: now + 6000, ...page }).map(({ id }) => id);
  expect(ids('')).toEqual([6, 5, 4, 3, 2, 1]);
  expect(ids('', { limit: 2, before: 5 })).toEqual([4, 3]);
  expect(ids('ODD.*')).toEqual([5, 3, 1]);
  expect(ids('outcome:refused')).toEqual([6, 5]);
  expect(ids('odd outcome:refused')).toEqual([5]);
  expect(ids('since:1s')).toEqual([6, 5]);
  expect(ids('name:none.example')).toEqual([]);
});

test('equal names are stored once, and orphans go with their last query', () => {
  store.limit({ keepDays: 10, maxMegabytes: 512 });
  const old = (now - 11 * day) * 1000;
  store.append([
    record({ id: 1, at: old, name: 'gone.example' }),
    record({ id: 2, at: old, name: 'kept.example' }),
    record({ id: 3, at: now * 1000, name: 'kept.example' }),
  ]);
  expect(names()).toEqual(['gone.example', 'kept.example']);
  trimAll();
  expect(names()).toEqual(['kept.example']);
  expect(store.rows).toBe(1);
  store.append([record({ id: 4, at: now * 1000, name: 'gone.example' })]);
  expect(readEvents(file, { limit: 10 }).map(({ name }) => name)).toEqual([
    'gone.example',
    'kept.example',
  ]);
});

test('the byte cap holds for the files, erases the oldest first and leaves no trace of them', () => {
  store.limit({ keepDays: 3650, maxMegabytes: 2 });
  let id = 0;
  for (let batch = 0; batch < 80; batch += 1) {
    const events = Array.from({ length: 256 }, () => {
      id += 1;
      return record({ id, at: now * 1000, name: `name-${id}-${'x'.repeat(100)}.example` });
    });
    store.append(events);
    if (store.overCap()) trimAll();
  }
  expect(id).toBeGreaterThan(store.rows);
  expect(store.rows).toBeGreaterThan(1000);
  expect(octetsOnDisk(file)).toBeLessThanOrEqual(2 * 1024 * 1024);
  const kept = readEvents(file, { limit: 5000 }).map((event) => event.id);
  expect(kept[0]).toBe(id);
  expect(kept.at(-1)).toBe(id - kept.length + 1);
  expect(pragma('freelist_count')).toBe(0);
  expect(names()).toHaveLength(store.rows);
});

test('a smaller cap shrinks the file', () => {
  store.limit({ keepDays: 3650, maxMegabytes: 100 });
  const events = Array.from({ length: 20_000 }, (_, id) =>
    record({ id: id + 1, name: `n${id}.example` }),
  );
  store.append(events);
  const before = statSync(file).size + statSync(`${file}-wal`).size;
  store.limit({ keepDays: 3650, maxMegabytes: 1 });
  trimAll();
  expect(before).toBeGreaterThan(2 * 1024 * 1024);
  expect(octetsOnDisk(file)).toBeLessThanOrEqual(1024 * 1024);
});

test('what the index knew of erased names is gone within an hour, and it finds the others again', () => {
  store.limit({ keepDays: 10, maxMegabytes: 512 });
  const names500 = (first: number, word: string, at: number) =>
    Array.from({ length: 500 }, (_, index) =>
      record({ id: first + index, at: at * 1000, name: `${word}${index}.example` }),
    );
  store.append([...names500(1, 'qzx', now - 11 * day), ...names500(501, 'kept', now)]);
  while (store.indexStep(now));
  const known = () =>
    query("SELECT id FROM name_trigrams_data WHERE instr(block, CAST('qzx' AS BLOB)) > 0").length;
  expect(known()).toBeGreaterThan(0);
  trimAll();
  while (store.indexStep(now));
  while (store.indexStep(now + 3_600_000));
  expect(known()).toBe(0);
  expect(readEvents(file, { limit: 1, filter: 'kept42' })).toHaveLength(1);
  expect(readEvents(file, { limit: 1, filter: 'qzx' })).toEqual([]);
});

test('counts hold numbers and no names', () => {
  store.count([
    record(),
    record(),
    record({ outcome: 1 }),
    record({ at: record().at + 60_000_000 }),
  ]);
  store.count([record()]);
  const rows = query('SELECT outcome, count FROM counters ORDER BY minute, outcome');
  expect(rows).toEqual([
    { outcome: 0, count: 3 },
    { outcome: 1, count: 1 },
    { outcome: 0, count: 1 },
  ]);
  expect(names()).toEqual([]);
  store.limit({ keepDays: 1, maxMegabytes: 1 });
  while (store.trimStep(record().at / 1000 + 3 * day));
  expect(query('SELECT * FROM counters')).toEqual([]);
});

test('clear leaves neither rows nor the octets of a name', async () => {
  store.append(
    Array.from({ length: 5000 }, (_, id) => record({ id: id + 1, name: `secret${id}.example` })),
  );
  const octets = () =>
    [file, `${file}-wal`].map((path) => readFileSync(path).toString('latin1')).join('');
  store.append([record({ id: 6000, name: 'qzx.example' })]);
  while (store.indexStep(now));
  const indexed = () => query("SELECT rowid FROM name_trigrams WHERE name GLOB '*secret4*'").length;
  expect(octets()).toContain('secret42.example');
  expect(indexed()).toBeGreaterThan(0);
  expect(query('SELECT id FROM blocks').length).toBeGreaterThan(0);
  store.clear();
  store.emptyJournal();
  // Neither the name nor the three letters of it that the index knew.
  expect(octets()).not.toMatch(/secret|qzx/);
  expect([indexed(), query('SELECT id FROM blocks')]).toEqual([0, []]);
  expect([store.rows, names()]).toEqual([0, []]);
  store.append([record({ id: 9000, name: 'secret42.example' })]);
  expect(readEvents(file, { limit: 1 })[0]?.name).toBe('secret42.example');
});

test('a failed transaction leaves nothing half-applied', () => {
  store.append([record({ id: 1, name: 'first.example' })]);
  expect(() =>
    store.append([
      record({ id: 2, name: 'new.example' }),
      record({ id: 1, name: 'other.example' }),
    ]),
  ).toThrow(/UNIQUE/);
  expect(names()).toEqual(['first.example']);
  store.append([record({ id: 2, name: 'new.example' })]);
  expect(readEvents(file, { limit: 1 })[0]?.name).toBe('new.example');
});

test('only the owner may read the files', () => {
  store.append([record()]);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    expect(statSync(path).mode & 0o777, path).toBe(0o600);
  }
});

test('the file is marked as ours, erases what it deletes and gives back free pages', () => {
  expect(pragma('application_id')).toBe(0x53747471);
  expect(pragma('user_version')).toBe(7);
  expect(pragma('auto_vacuum')).toBe(2);
  expect(pragma('journal_mode')).toBe('wal');
});

test('a file that lacks a column gets it, and its rows keep what they have', () => {
  store.append([record({ id: 1, answers: 3, responseOctets: 77 })]);
  store.close();
  const older = new Database(file);
  older.exec('ALTER TABLE events DROP COLUMN answers');
  older.close();
  store = new LogStore(file);
  store.append([record({ id: 2, answers: 4 })]);
  expect(readEvents(file, { limit: 2 })).toMatchObject([
    { id: 2, answers: 4 },
    { id: 1, answers: 0, responseOctets: 77 },
  ]);
});

test('a log that was closed cleanly can be read without a writer', () => {
  store.append([record({ id: 1 })]);
  store.close();
  expect(readEvents(file, { limit: 1 })).toHaveLength(1);
  store = new LogStore(file);
  expect([store.rows, store.lastId]).toEqual([1, 1]);
});

function trimAll(): void {
  while (store.trimStep(now));
  store.emptyJournal();
}

function names(): unknown[] {
  return query('SELECT name FROM names ORDER BY name').map((row) => (row as { name: string }).name);
}

function pragma(name: string): unknown {
  return withReader((database) => database.pragma(name, { simple: true }));
}

function query(sql: string): unknown[] {
  return withReader((database) => database.prepare(sql).all());
}

function withReader<Result>(use: (database: Database.Database) => Result): Result {
  const database = new Database(file, { readonly: true });
  try {
    return use(database);
  } finally {
    database.close();
  }
}
