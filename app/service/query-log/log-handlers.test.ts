import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { someSession as session } from '../control/session-fixture.ts';
import { encodeBatch, record } from './event-record-fixture.ts';
import { createLogHandlers, type LogHandlers } from './log-handlers.ts';
import { openQueryLog, type QueryLog } from './query-log.ts';

let directory: string;
let log: QueryLog;
let handlers: LogHandlers;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
  log = await openQueryLog({
    file: join(directory, 'queries.sqlite'),
    settings: { mode: 'full', programs: true, keepDays: 3650, maxMegabytes: 64 },
    onHealth: () => {},
  });
  handlers = createLogHandlers({
    queryLog: log,
    now: Date.now,
    accountName: (uid) => (uid === 1000 ? 'Ann' : null),
    programsNamed: (name) => (name === 'firefox web browser' ? ['org.mozilla.Firefox'] : []),
    upstreams: () => [
      { id: 'nines', transport: 'tdns', address: ['9.9.9.9', '[2620:fe::fe]:853'] },
      { id: 'other', transport: 'dot', address: '192.0.2.1' },
    ],
    onErased: () => {},
  });
  log.accept(
    encodeBatch([record({ name: 'a.example' }), record({ name: 'b.example', outcome: 6 })]),
  );
  await vi.waitUntil(() => log.status().rows === 2, { timeout: 60_000, interval: 5 });
});

afterEach(async () => {
  await log.close();
  rmSync(directory, { recursive: true });
});

test('a new search of a connection cancels the one before; those of others go on', async () => {
  const [mine, other] = [session(), session()];
  const page = { filter: '', limit: 10 };
  const [first, theirs, second] = await Promise.all([
    handlers['log.search'](page, mine.session),
    handlers['log.search'](page, other.session),
    handlers['log.search']({ ...page, filter: 'outcome:refused' }, mine.session),
  ]);
  expect(first).toMatchObject({ ok: false, failure: { code: 'superseded' } });
  expect(theirs).toMatchObject({ ok: true, value: { events: [{}, {}] } });
  expect(second).toMatchObject({ ok: true, value: { events: [{ name: 'b.example' }] } });
});

test('the end of a connection, and cancel, end its searches', async () => {
  const { session: mine, close } = session();
  const left = handlers['log.search']({ filter: '', limit: 10 }, mine);
  close();
  expect(await left).toMatchObject({ failure: { code: 'superseded' } });
  const cancelled = handlers['log.histogram']({ filter: '', from: 0, buckets: 2 }, mine);
  handlers['log.cancel']({}, mine);
  expect(await cancelled).toMatchObject({ failure: { code: 'superseded' } });
  const top = handlers['log.top']({ by: 'domain', filter: '', limit: 1 }, mine);
  const counted = handlers['log.facets']({ filter: 'a' }, mine);
  expect(await handlers['log.facets']({ filter: '' }, mine)).toMatchObject({
    ok: true,
    value: { isExact: true },
  });
  expect(await counted).toMatchObject({ failure: { code: 'superseded' } });
  expect(await top).toMatchObject({ ok: true, value: { isExact: true } });
});

test.each([
  ['tpye:A', 'tpye:A'],
  ['a /(b/', '/(b/'],
  ['/(?=a)/', '/(?=a)/'],
])('%s is refused by its word wherever a filter is taken', async (filter, subject) => {
  const { session: mine } = session();
  const refused = { ok: false, failure: { code: 'filter-invalid', subject } };
  expect(await handlers['log.search']({ filter, limit: 1 }, mine)).toMatchObject(refused);
  expect(await handlers['log.count']({ filter }, mine)).toMatchObject(refused);
  expect(await handlers['log.facets']({ filter }, mine)).toMatchObject(refused);
  const top = handlers['log.top']({ by: 'domain', filter, limit: 1 }, mine);
  expect(await top).toMatchObject(refused);
  expect(await handlers['log.follow']({ filter }, mine)).toMatchObject(refused);
  expect(await handlers['log.pour']({ filter, format: 'csv' }, mine)).toMatchObject(refused);
});

test('an account is found by its number, whether the log has its name or not', async () => {
  const { session: mine, told } = session();
  expect(await handlers['log.follow']({ filter: 'user:1000' }, mine)).toMatchObject({ ok: true });
  log.accept(
    encodeBatch([
      record({ name: 'named.example', user: 'Ann' }),
      record({ name: 'numbered.example', user: '1000' }),
      record({ name: 'other.example', user: '4711' }),
    ]),
  );
  await vi.waitUntil(() => log.status().rows === 5, { timeout: 60_000, interval: 5 });
  const count = async (filter: string) => await handlers['log.count']({ filter }, mine);
  expect(await count('user:1000')).toMatchObject({ value: { rows: 2 } });
  expect(await count('user:1000,4711')).toMatchObject({ value: { rows: 3 } });
  expect(await count('-user:1000')).toMatchObject({ value: { rows: 3 } });
  const names = () =>
    told.flatMap((one) => (one as { events: { name: string }[] }).events.map(({ name }) => name));
  await vi.waitUntil(() => names().length === 2, { timeout: 60_000, interval: 5 });
  expect(names()).toEqual(['named.example', 'numbered.example']);
});

test('an upstream is found by its address as by its id', async () => {
  const { session: mine } = session();
  log.accept(encodeBatch(['nines', 'other', '9.9.9.9:53'].map((upstream) => record({ upstream }))));
  await vi.waitUntil(() => log.status().rows === 5, { timeout: 60_000, interval: 5 });
  const count = async (filter: string) => await handlers['log.count']({ filter }, mine);
  for (const [filter, rows] of [
    ['upstream:nines', 1],
    ['upstream:9.9.9.9', 2],
    ['upstream:9.9.9.9:53', 2],
    ['upstream:9.9.9.9:853', 0],
    ['upstream:2620:fe::fe', 1],
    ['upstream:192.0.2.*', 1],
  ] as const)
    expect(await count(filter), filter).toMatchObject({ value: { rows } });
});

test('a program is found by the name that its line shows: an application, an executable, a container', async () => {
  const { session: mine } = session();
  const asked = [
    { program: 'org.mozilla.Firefox' },
    { program: 'session', executable: '/usr/bin/dig' },
    { executable: '/usr/bin/dig' },
    { program: 'lxc', container: 'web', executable: '/usr/sbin/nginx' },
    { program: 'session', user: 'Ann' },
  ];
  log.accept(encodeBatch(asked.map((one) => record(one))));
  await vi.waitUntil(() => log.status().rows === 7, { timeout: 60_000, interval: 5 });
  const count = async (filter: string) => await handlers['log.count']({ filter }, mine);
  for (const [filter, rows] of [
    ['program:"Firefox Web Browser"', 1],
    ['program:org.mozilla.firefox', 1],
    ['program:dig', 2],
    ['program:web', 1],
    ['program:session', 1],
  ] as const)
    expect(await count(filter), filter).toMatchObject({ value: { rows } });
  const top = await handlers['log.top']({ by: 'program', filter: '', limit: 9 }, mine);
  const counts = top.ok && top.value.rows.map(({ value, count: queries }) => [value, queries]);
  expect(counts).toEqual([
    ['dig', 2],
    ['org.mozilla.Firefox', 1],
    ['session', 1],
    ['web', 1],
  ]);
});

test('the older way of asking still does, and refuses what it refused', async () => {
  const { session: mine } = session();
  const ask = (params: object) => handlers['log.query']({ limit: 9, ...params }, mine);
  expect(await ask({ name: 'B.*', outcome: 'refused', since: 0 })).toMatchObject({
    value: { events: [{ name: 'b.example' }] },
  });
  expect(await ask({ name: '*a'.repeat(20) })).toMatchObject({
    failure: { code: 'params-invalid', subject: 'name' },
  });
});

test('a follower is told what its filter wants, until its connection ends', async () => {
  const { session: mine, told, close } = session();
  expect(await handlers['log.follow']({ filter: 'outcome:refused -name:d.example' }, mine)).toEqual(
    {
      ok: true,
      value: { subscription: 1 },
    },
  );
  log.accept(
    encodeBatch([
      record({ name: 'c.example', outcome: 6 }),
      record({ name: 'd.example', outcome: 6 }),
      record({ name: 'e.example' }),
    ]),
  );
  await vi.waitUntil(() => told.length > 0, { timeout: 60_000, interval: 5 });
  expect(told).toMatchObject([{ subscription: 1, events: [{ name: 'c.example' }], leftOut: 0 }]);
  close();
  expect(await handlers['log.unfollow']({ subscription: 1 }, mine)).toMatchObject({
    failure: { code: 'unknown-subscription' },
  });
});
