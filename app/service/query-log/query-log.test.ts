import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import { type HealthIssue, healthIssue } from '../../contract/status/health-issue.ts';
import { encodeBatch, encodeRecord, record } from './event-record-fixture.ts';
import type { QueryLogSettings } from './log-messages.ts';
import { openQueryLog, type QueryLog } from './query-log.ts';
import { newest } from './read-fixture.ts';

const full: QueryLogSettings = { mode: 'full', programs: true, keepDays: 3650, maxMegabytes: 64 };

let directory: string;
let file: string;
let health: (HealthIssue | null)[];
let log: QueryLog | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
  file = join(directory, 'state', 'queries.sqlite');
  health = [];
});

afterEach(async () => {
  await log?.close();
  log = undefined;
  rmSync(directory, { recursive: true });
});

async function open(settings: QueryLogSettings = full): Promise<QueryLog> {
  log = await openQueryLog({
    file,
    settings,
    onHealth: (issue) => health.push(issue && healthIssue.parse(issue)),
  });
  return log;
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    record({ id: index, name: `${name}${index}.example` }),
  );

test('accepted events can be asked for, newest first, and outlive the service', async () => {
  const first = await open();
  first.accept(encodeBatch(numbered('a', 3)));
  first.accept(encodeBatch(numbered('b', 2)));
  await until(() => first.status().rows === 5);
  const events = await newest(first, 3);
  expect(events.map(({ id, name }) => [id, name])).toEqual([
    [5, 'b1.example'],
    [4, 'b0.example'],
    [3, 'a2.example'],
  ]);
  expect(first.status()).toMatchObject({ state: 'writing', reason: null, lost: 0 });
  expect(first.status().octets).toBeGreaterThan(0);
  await first.close();

  const second = await open();
  expect(second.status().rows).toBe(5);
  second.accept(encodeBatch(numbered('c', 1)));
  await until(() => second.status().rows === 6);
  expect((await newest(second, 1))[0]).toMatchObject({ id: 6, name: 'c0.example' });
  expect(health).toEqual([]);
});

test('a reader sees what is on its way, and waits for no engine that is stuck', async () => {
  const opened = await open();
  const status = () => ({ upstreams: [] });
  const onItsWay = encodeBatch(numbered('a', 1));
  opened.learnFrom({ status, handOver: async () => opened.accept(onItsWay) });
  expect(await newest(opened, 1)).toMatchObject([{ name: 'a0.example' }]);
  opened.learnFrom({ status, handOver: () => new Promise(() => {}) });
  expect(await newest(opened, 1)).toMatchObject([{ name: 'a0.example' }]);
});

test('nothing that was answered before comes back after the log was erased', async () => {
  const opened = await open();
  const onItsWay = encodeBatch(numbered('a', 1));
  const status = () => ({ upstreams: [] });
  opened.learnFrom({ status, handOver: async () => opened.accept(onItsWay) });
  await opened.clear();
  opened.learnFrom({ status, handOver: async () => {} });
  expect(await newest(opened, 1)).toEqual([]);
});

test('close stores everything that was accepted before it', async () => {
  const opened = await open();
  for (let batch = 0; batch < 40; batch += 1)
    opened.accept(encodeBatch(numbered(`b${batch}-`, 500)));
  await opened.close();
  expect((await open()).status().rows).toBe(20_000);
});

test('the batch stays the caller’s', async () => {
  const opened = await open();
  const batch = encodeBatch(numbered('a', 2));
  const before = Buffer.from(batch);
  opened.accept(batch);
  expect(batch).toEqual(before);
  batch.fill(0);
  await until(() => opened.status().rows === 2);
});

test('followers see what the log keeps, with its ids, until they stop', async () => {
  const opened = await open({ ...full, mode: 'domain' });
  const seen: QueryEvent[] = [];
  const stop = opened.follow((events) => seen.push(...events));
  opened.accept(encodeBatch([record({ id: 900, name: 'secret.example.com' })]));
  await until(() => seen.length === 1);
  expect(seen[0]).toMatchObject({ id: 1, name: 'example.com' });
  await until(() => opened.status().rows === 1);
  expect(await newest(opened, 1)).toEqual(seen);

  stop();
  opened.accept(encodeBatch(numbered('later', 1)));
  await until(() => opened.status().rows === 2);
  expect(seen).toHaveLength(1);
});

test.each(['counts', 'off'] as const)(
  'mode %s keeps no rows and shows followers no names',
  async (mode) => {
    const opened = await open({ ...full, mode });
    const seen: QueryEvent[] = [];
    opened.follow((events) => seen.push(...events));
    opened.accept(encodeBatch(numbered('secret', 4)));
    await until(() => seen.length === 4);
    await opened.close();
    const reopened = await open({ ...full, mode });
    expect(reopened.status()).toMatchObject({ rows: 0, state: mode === 'off' ? 'off' : 'writing' });
    expect(new Set(seen.map(({ name }) => name))).toEqual(new Set(['']));
    const database = new Database(file, { readonly: true });
    expect(database.prepare('SELECT total(count) FROM counters').pluck().get()).toBe(
      mode === 'off' ? 0 : 4,
    );
    database.close();
  },
);

test('a change of mode applies from the next batch', async () => {
  const opened = await open();
  opened.accept(encodeBatch([record({ name: 'a.one.com' })]));
  opened.configure({ ...full, mode: 'domain' });
  opened.accept(encodeBatch([record({ name: 'a.two.com' })]));
  opened.configure({ ...full, mode: 'off' });
  opened.accept(encodeBatch([record({ name: 'a.three.com' })]));
  await until(() => opened.status().state === 'off');
  await opened.close();
  const names = (await newest(await open(), 9)).map(({ name }) => name);
  expect(names).toEqual(['two.com', 'a.one.com']);
});

test('a malformed record costs the rest of its batch and is counted', async () => {
  const opened = await open();
  const broken = encodeRecord(record());
  broken.writeUInt8(77, 3);
  opened.accept(Buffer.concat([encodeRecord(record()), broken]));
  opened.accept(Buffer.alloc(0));
  opened.accept(Buffer.from([1]));
  opened.accept(encodeBatch(numbered('fine', 1)));
  await until(() => opened.status().rows === 2);
  expect(opened.status()).toMatchObject({ state: 'writing', lost: 2 });
});

test('more than the queue holds is dropped and counted, and nothing else is lost', async () => {
  const opened = await open();
  const batch = encodeBatch(numbered('flood', 500));
  const batches = 400;
  for (let count = 0; count < batches; count += 1) opened.accept(batch);
  const { lost } = opened.status();
  expect(lost).toBeGreaterThan(0);
  expect(lost % 500).toBe(0);
  await opened.close();
  expect((await open()).status().rows).toBe(batches * 500 - lost);
});

test('a reader in the middle of a long search does not hold up the writer', async () => {
  const opened = await open();
  opened.accept(encodeBatch(numbered('before', 100)));
  await until(() => opened.status().rows === 100);

  const reader = new Database(file, { readonly: true });
  reader.exec('BEGIN');
  const count = () => reader.prepare('SELECT count(*) FROM events').pluck().get();
  expect(count()).toBe(100);
  for (let batch = 0; batch < 20; batch += 1)
    opened.accept(encodeBatch(numbered(`b${batch}-`, 500)));
  await until(() => opened.status().rows === 10_100);
  expect(await newest(opened, 1, 'b19-499.example')).toHaveLength(1);
  expect(count()).toBe(100);
  // Retention and its checkpoint don't wait for the reader either.
  opened.configure({ ...full, mode: 'domain' });
  opened.accept(encodeBatch([record({ name: 'a.after.com' })]));
  await until(() => opened.status().rows === 10_101);
  expect(await newest(opened, 1, 'after.com')).toHaveLength(1);
  expect(count()).toBe(100);
  reader.exec('COMMIT');
  expect(count()).toBe(10_101);
  reader.close();
});

test('retention is applied on opening and on configuration', async () => {
  const opened = await open();
  const dayAgo = (Date.now() - 86_400_000 * 3) * 1000;
  opened.accept(
    encodeBatch([record({ at: dayAgo, name: 'old.example' }), record({ at: Date.now() * 1000 })]),
  );
  await until(() => opened.status().rows === 2);
  opened.configure({ ...full, programs: true, keepDays: 1 });
  await until(() => opened.status().rows === 1);
  expect(await newest(opened, 9, 'old.*')).toEqual([]);
});

test('clear erases everything, and ids go on rising', async () => {
  const opened = await open();
  opened.accept(encodeBatch(numbered('a', 10)));
  await opened.clear();
  expect(await newest(opened, 9)).toEqual([]);
  opened.accept(encodeBatch(numbered('b', 1)));
  await until(() => opened.status().rows === 1);
  expect((await newest(opened, 9)).map(({ id }) => id)).toEqual([11]);
});

test.each([
  [
    'not a database',
    () => writeFileSync(file, 'This is a letter to a friend. '.repeat(200)),
    /not a database/,
  ],
  [
    'another program’s database',
    () => writeForeign('CREATE TABLE letters (text)'),
    /another program/,
  ],
  [
    'a newer log',
    () =>
      writeForeign(
        'PRAGMA application_id = 1400140913; PRAGMA user_version = 99; CREATE TABLE new (x)',
      ),
    /newer/,
  ],
])(
  '%s is set aside whole, with a health issue, and a fresh log begun',
  async (_what, write, reason) => {
    await (await open()).close();
    rmSync(file);
    write();
    const before = statSync(file).size;
    const opened = await open();
    opened.accept(encodeBatch(numbered('fresh', 1)));
    await until(() => opened.status().rows === 1);
    const aside = readdirSync(join(directory, 'state')).filter((name) =>
      name.includes('.unusable-20'),
    );
    expect(aside).toHaveLength(1);
    expect(statSync(join(directory, 'state', aside[0] ?? '')).size).toBe(before);
    expect(health).toHaveLength(1);
    expect(health[0]?.text).toMatch(reason);
    expect(health[0]?.text).toContain(aside[0]);
  },
);

test('what was set aside of ours is erased with the rest, and with its time; what is not ours stays', async () => {
  const names = () =>
    readdirSync(join(directory, 'state')).filter((one) => one.includes('unusable'));
  await (await open()).close();
  rmSync(file);
  writeForeign('CREATE TABLE letters (text)');
  await (await open()).close();
  for (const size of [100_000, 200_000]) {
    rmSync(file);
    writeForeign(
      'PRAGMA application_id = 1400140913; PRAGMA user_version = 99; CREATE TABLE new (x)',
    );
    truncateSync(file, size);
    await (await open()).close();
  }
  const [letters, old, recent] = names();
  const aged = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(join(directory, 'state', old ?? ''), aged, aged);
  const opened = await open({ ...full, programs: true, keepDays: 1 });
  await until(() => names().length < 3);
  expect(names()).toEqual([letters, recent]);
  await opened.clear();
  expect(names()).toEqual([letters]);
});

test('damage found while reading leads to a fresh log too', async () => {
  const first = await open();
  first.accept(encodeBatch(numbered('a', 5000)));
  await first.close();
  const pages = namePages();
  const damaged = await open();
  const descriptor = openSync(file, 'r+');
  for (const page of pages)
    writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
  closeSync(descriptor);

  const query = newest(damaged, 5000, '*a*');
  await expect(query).rejects.toMatchObject({ failure: { code: 'log-unavailable' } });
  await until(() => health.length > 0);
  damaged.accept(encodeBatch(numbered('fresh', 1)));
  await until(() => damaged.status().rows === 1);
  expect(damaged.status().state).toBe('writing');
  expect(await newest(damaged, 9)).toHaveLength(1);
});

test('where no file can be made the log stops, says why, and DNS is not asked to wait', async () => {
  writeFileSync(join(directory, 'state'), 'a file where a folder should be');
  const opened = await open();
  expect(opened.status().state).toBe('stopped');
  opened.accept(encodeBatch(numbered('cleared', 1)));
  opened.accept(encodeBatch(numbered('lost', 3)));
  await until(() => opened.status().lost === 3);
  expect(health[0]).toMatchObject({ code: 'log-stopped', severity: 'warning' });
  expect(health[0]?.text).toMatch(/ENOTDIR|EEXIST/);
  await expect(newest(opened, 1)).rejects.toMatchObject({
    failure: { code: 'log-unavailable' },
  });
  await expect(opened.clear()).rejects.toMatchObject({ failure: { code: 'log-unavailable' } });

  opened.accept(encodeBatch(numbered('kept', 2)));
  rmSync(join(directory, 'state'));
  opened.configure(full);
  await until(() => opened.status().state === 'writing');
  expect(health.at(-1)).toBeNull();
  expect(opened.status()).toMatchObject({ rows: 2, lost: 3 });
});

test('decode shows one record whole, whatever the mode', async () => {
  const opened = await open({ ...full, mode: 'off' });
  expect(opened.decode(encodeRecord(record({ name: 'a.b.example.com' })))).toMatchObject({
    name: 'a.b.example.com',
    outcome: 'forwarded',
    ms: 12.345,
  });
  expect(() => opened.decode(Buffer.from('nonsense'))).toThrow(/not an event record/);
});

function writeForeign(sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

function until(condition: () => boolean): Promise<boolean> {
  return vi.waitUntil(condition, { timeout: 60_000, interval: 5 });
}

/** The pages that only a search by name reads. */
function namePages(): number[] {
  const database = new Database(file, { readonly: true });
  const pages = database.prepare("SELECT pageno FROM dbstat WHERE name = 'names'").pluck().all();
  database.close();
  return pages as number[];
}
