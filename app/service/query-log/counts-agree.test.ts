/** The counts that page and command line show, by every method that they use, equal those of SQL in the same file. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Result } from '../../contract/errors.ts';
import type { ServiceSession } from '../../contract/service-api.ts';
import { readPoured } from '../../service-client/pour-log.ts';
import { someSession } from '../control/session-fixture.ts';
import type { EventRecord } from '../engine/boundary.ts';
import { record } from './event-record-fixture.ts';
import { createLogHandlers, type LogHandlers } from './log-handlers.ts';
import { LogStore } from './log-store.ts';
import { openQueryLog, type QueryLog } from './query-log.ts';

const rows = 22_055;
const begin = Date.UTC(2026, 0, 31);
const end = begin + rows * 1000;

/** Each word of a filter, and its equivalent in SQL. */
const words: readonly [word: string, sql: string][] = [
  ['*', '1'],
  ['example', "instr(name, 'example') > 0"],
  ['*.example', "name GLOB '*.example'"],
  ['n1*7.test', "name GLOB 'n1*7.test'"],
  ['/[02]5[.]/', "name GLOB '*[02]5.*'"],
  ['name:n123.example', "name = 'n123.example'"],
  ['name:common.example,n5.test', "name IN ('common.example', 'n5.test')"],
  ['type:A,HTTPS', 'type IN (1, 65)'],
  ['outcome:failed', 'outcome = 7'],
  ['outcome:cached,stale', 'outcome IN (1, 2)'],
  ['cost:reused', 'cost = 1'],
  ['transport:dot', 'transport = 2'],
  ['clear:none', 'clear = 0'],
  ['rcode:NXDOMAIN', 'rcode = 3'],
  ['upstream:quad9', "upstream = 'quad9'"],
  ['upstream:mull*', "upstream LIKE 'mull%'"],
  ['rule:corp.example', "rule = 'corp.example'"],
  [
    'program:dig',
    "program <> 'lxc' AND executable = '/usr/bin/dig' OR container = 'dig' AND (program = 'lxc' OR executable = '')",
  ],
  ['program:session', "program = 'session' AND executable = '' AND container = ''"],
  ['program:lxc', "program = 'lxc' AND container = ''"],
  ['client:127.*', "client_address GLOB '127.*'"],
  ['slower:60ms', 'total > 60000'],
  ['slower:1ms', 'total > 1000'],
  ['slower:1s', 'total > 1000000'],
  [`since:${written(0.3)}`, `at >= ${moment(0.3)} * 1000`],
  [`until:${written(0.7)}`, `at < ${moment(0.7)} * 1000`],
];

function moment(share: number): number {
  return begin + Math.round(share * (end - begin));
}

function written(share: number): string {
  return new Date(moment(share)).toISOString();
}

const anyRow: fc.Arbitrary<Partial<EventRecord>> = fc.record({
  type: fc.constantFrom(1, 28, 65, 65_280),
  outcome: fc.nat(8),
  cost: fc.nat(4),
  transport: fc.nat(4),
  clear: fc.nat(6),
  rcode: fc.constantFrom(0, 0, 0, 3, 2),
  total: fc.oneof(fc.nat(70_000), fc.nat(2_000_000)),
  upstream: fc.constantFrom('quad9', 'Mullvad', '10.0.0.1:53', ''),
  rule: fc.constantFrom('', '', 'corp.example'),
  clientAddress: fc.constantFrom('127.0.0.1', '::1'),
  program: fc.constantFrom('', 'session', 'lxc'),
  executable: fc.constantFrom('', '/usr/bin/dig', '/usr/bin/curl'),
  container: fc.constantFrom('', '', 'dig'),
});

const someWords = fc.subarray([...words.keys()], { maxLength: 4 });
const anyFilter = fc
  .tuple(someWords, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
  .map(([chosen, negations]) =>
    chosen.map((index, place) => {
      const [word, sql] = words[index] as (typeof words)[number];
      return negations[place] ? [`-${word}`, `NOT (${sql})`] : [word, `(${sql})`];
    }),
  )
  .map((terms) => ({
    filter: terms.map(([word]) => word).join(' '),
    sql: terms.map(([, sql]) => sql).join(' AND ') || '1',
  }));

let directory: string;
let log: QueryLog;
let handlers: LogHandlers;
let database: Database.Database;
/** gives an export a connection */
const server = createServer();
let exporting: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-counts-'));
  const file = join(directory, 'queries.sqlite');
  fill(file);
  log = await openQueryLog({
    file,
    settings: { mode: 'full', programs: true, keepDays: 36_500, maxMegabytes: 256 },
    onHealth: () => {},
  });
  handlers = createLogHandlers({
    queryLog: log,
    now: () => end,
    accountName: () => null,
    programsNamed: () => [],
    upstreams: () => [],
    onErased: () => {},
  });
  database = new Database(file, { readonly: true });
  exporting = join(directory, 'export.sock');
  await once(server.listen(exporting), 'listening');
});

afterAll(async () => {
  database.close();
  await log.close();
  server.close();
  rmSync(directory, { recursive: true });
});

/** The newest rows are in no index and no summary yet, as in a service that has just stored them. */
function fill(file: string): void {
  const store = new LogStore(file);
  const changes = fc.sample(anyRow, { numRuns: rows, seed: 14 });
  const all = changes.map((one, index) =>
    record({ ...one, id: index + 1, at: (begin + index * 1000) * 1000, name: nameOf(index) }),
  );
  store.append(all.slice(0, 20_000));
  while (store.indexStep(begin));
  store.append(all.slice(20_000));
  store.close();
}

/** Nearly every row has a name of its own: more than are looked up name by name. */
function nameOf(index: number): string {
  if (index % 20 === 0) return 'common.example';
  return `n${index}.${index % 3 === 0 ? 'example' : 'test'}`;
}

test('a count is what SQL counts, whatever the filter, and each method tells the same', async () => {
  expect(database.prepare('SELECT count(*) FROM names').pluck().get()).toBeGreaterThan(20_000);
  await fc.assert(
    fc.asyncProperty(anyFilter, async ({ filter, sql }) => {
      const select = `SELECT count(*) FROM events JOIN names ON names.id = name_id WHERE ${sql}`;
      const fitting = database.prepare(select).pluck().get() as number;
      const { session } = someSession();
      const counted = value(await handlers['log.count']({ filter }, session));
      expect(counted, filter).toEqual({ rows: fitting, of: rows });
      const span = { from: begin, to: end, buckets: 120 };
      const { counts } = value(await handlers['log.histogram']({ filter, ...span }, session));
      expect(sum(Object.values(counts).flat()), filter).toBe(fitting);
      if (fitting < 4000) expect(await shownBy(filter), filter).toBe(fitting);
      expect(await exportedBy(filter), filter).toBe(fitting);
    }),
    { numRuns: 60, endOnFailure: true },
  );
}, 900_000); // the log's reader steps back behind all other programs

/** The rows of a client that scrolls to the end. */
async function shownBy(filter: string): Promise<number> {
  const { session } = someSession();
  let shown = 0;
  for (let before: number | null | undefined; before !== null; ) {
    const params = { filter, limit: 1000, ...(before !== undefined && { before }) };
    const page = value(await handlers['log.search'](params, session));
    shown += page.events.length;
    before = page.next;
  }
  return shown;
}

async function exportedBy(filter: string): Promise<number> {
  const client = connect(exporting);
  const [service] = (await once(server, 'connection')) as [Socket];
  const handOver = (take: (connection: Socket) => void) => take(service);
  const session = { ...someSession().session, handOver } as ServiceSession;
  value(await handlers['log.pour']({ filter, format: 'ndjson' }, session));
  let [lines, told] = [0, 0];
  for await (const part of readPoured(client)) {
    if (part.kind === 'text') lines += part.octets.filter((octet) => octet === lineEnd).length;
    if (part.kind === 'rows') told += part.rows;
    if (part.kind === 'failure') throw new Error(part.failure.message);
  }
  expect(told).toBe(lines);
  return lines;
}

const lineEnd = 0x0a;

function value<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
