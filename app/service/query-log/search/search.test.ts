import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outcomes } from '../../../contract/engine-words.ts';
import { type FilterTerm, writeLogFilter } from '../../../contract/query-log/log-filter.ts';
import { matchesFilter } from '../../../contract/query-log/log-filter-match.ts';
import { classOf, queryClasses } from '../../../contract/query-log/query-class.ts';
import type { QueryEvent } from '../../../contract/query-log/query-event.ts';
import type { EventRecord } from '../../engine/boundary.ts';
import { record } from '../event-record-fixture.ts';
import { openForReading } from '../log-reader.ts';
import { LogStore } from '../log-store.ts';
import { presentEvent } from '../present-event.ts';
import { filterOf, readEvents, runJob } from '../read-fixture.ts';
import { blockSize } from './block-summary.ts';
import { exportPieces } from './export-piece.ts';
import { nameExpression } from './name-expression.ts';
import { lettersOf } from './name-letters.ts';

const start = Date.UTC(2026, 0, 31);
const now = start + 10_000;

let directory: string;
let file: string;
let store: LogStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-search-'));
  file = join(directory, 'queries.sqlite');
  store = new LogStore(file);
});

afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true });
});

function keep(events: readonly EventRecord[], indexed = true): void {
  store.append(events);
  if (indexed) while (store.indexStep(now));
}

const texts = {
  name: [
    'cdn.example.com',
    'ads7.example.net',
    'a[b]c.example',
    'x\\.y',
    'my\\032printer.local',
    '',
    'ab',
    'shop.xn--bcher-kva.example',
    'xn--0.example',
    '\\226\\128\\174a.test',
    domainToASCII('é🦊.test'),
  ],
  upstream: ['quad9', 'Mullvad', '10.0.0.1:53', ''],
  rule: ['', 'corp.example', '[x]'],
  client: ['127.0.0.1', '127.9.0.1', '::1', '2001:db8::7', ''],
  program: ['', 'firefox', 'Session', 'session', 'lxc'],
  user: ['', 'ann', '1001'],
};

const anyEvent = fc.record({
  at: fc.integer({ min: 0, max: 20_000_000 }).map((after) => start * 1000 + after),
  name: fc.constantFrom(...texts.name),
  type: fc.constantFrom(1, 28, 65, 65_280),
  outcome: fc.integer({ min: 0, max: 8 }),
  cost: fc.integer({ min: 0, max: 4 }),
  transport: fc.integer({ min: 0, max: 4 }),
  clear: fc.integer({ min: 0, max: 6 }),
  rcode: fc.constantFrom(0, 3, 3841),
  total: fc.constantFrom(0, 1, 99_999, 100_000, 100_001, 1_500_000),
  upstream: fc.constantFrom(...texts.upstream),
  rule: fc.constantFrom(...texts.rule),
  clientAddress: fc.constantFrom(...texts.client),
  attribution: fc.integer({ min: 0, max: 3 }),
  program: fc.constantFrom(...texts.program),
  unit: fc.constantFrom('', 'sshd.service'),
  container: fc.constantFrom('', 'web'),
  executable: fc.constantFrom('', '/usr/sbin/unbound', '/', 'a//b/a/', '/usr/bin/dig é/dig é'),
  user: fc.constantFrom(...texts.user),
});

const words = [
  [
    'text',
    'example',
    'EXAMPLE.',
    '*.example.com',
    'a[b',
    '?b',
    '*',
    '🦊',
    'é',
    'zzz',
    'com',
    'büch',
    '*.bücher.example',
    'Ü',
  ],
  ['name', 'cdn.example.com', 'ads?.example.*', '*[*', 'ab', 'shop.bücher.example', '*.b?cher.*'],
  ['type', 'A', 'HTTPS', 'TYPE65280', 'MX'],
  ['outcome', 'cached', 'failed', 'portal'],
  ['cost', 'none', 'reused'],
  ['transport', 'dot', 'udp'],
  ['clear', 'none', 'bypass'],
  ['rcode', 'NXDOMAIN', 'RCODE3841'],
  ['upstream', 'quad9', 'mull*', '', '10.0.0.?:53', '10.0.0.1'],
  ['rule', '', '*.example', '[x]', 'corp*'],
  ['client', '::1', '127.*', '127.0.0.0/16', '::/0', '2001:db8::/32', '0.0.0.0/0', ''],
  ['program', 'session', 'fire*', 'unbound', 'dig é', 'web', ''],
  ['unit', 'sshd.service', '*.scope'],
  ['container', 'web', ''],
  ['executable', '*/unbound', ''],
  ['user', 'ann', '1???'],
  ['slower', '100ms', '1s', '0.001ms'],
  ['since', '5s', '2026-01-31T00:00:05Z'],
  ['until', '5s', '2026-01-31T00:00:05.001Z'],
] as const;

const anyTerm: fc.Arbitrary<string> = fc.constantFrom(...words).chain(([field, ...choices]) => {
  const most = ['slower', 'since', 'until'].includes(field) ? 1 : 2;
  const values = fc
    .uniqueArray(fc.constantFrom(...choices), { minLength: 1, maxLength: most })
    .map((all) => all.map((text) => ({ text, regex: false })));
  const expressions = fc
    .constantFrom('^ads?\\d', 'e{1}x', 'ü.h', '[\\[]', '^$', '\\.(com|net)$')
    .map((text) => [{ text, regex: true }]);
  return fc
    .record({
      negated: fc.boolean(),
      values: field === 'text' ? fc.oneof(values, expressions) : values,
    })
    .map((rest) => writeLogFilter([{ field, ...rest } as FilterTerm]));
});

test('what is found in the store is what the filter wants of each event, page by page', () => {
  fc.assert(
    fc.property(
      fc.array(anyEvent, { minLength: 1, maxLength: 40 }),
      fc.array(anyTerm, { maxLength: 3 }),
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom(1, 40, blockSize),
      fc.boolean(),
      (changes, terms, limit, spread, indexed) => {
        store.clear();
        // Spread over the ids, so that some blocks are full and counted and others are not.
        const first = 3 * blockSize - 20 * spread;
        const events = changes.map((one, index) => record({ ...one, id: first + index * spread }));
        keep(events, indexed);
        const text = terms.join(' ');
        const wants = matchesFilter(filterOf(text), {
          now,
          expression: nameExpression,
          letters: lettersOf,
        });
        const expected = events.map(presentEvent).filter(wants).reverse();
        expect(pages(text, limit), text).toEqual(expected);
        expect(counted(text), text).toEqual(countedByHand(expected));
        expect(runJob(file, 'count', { filter: filterOf(text), now })).toEqual({
          rows: expected.length,
          of: events.length,
        });
        expect(exported(text)).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
});

function pages(filter: string, limit: number): QueryEvent[] {
  const found: QueryEvent[] = [];
  for (let before: number | undefined; ; ) {
    const page = runJob(file, 'search', { filter: filterOf(filter), before, limit, now });
    found.push(...page.events);
    if (page.next === null) return found;
    expect(page.events).toHaveLength(limit);
    before = page.next;
  }
}

/** In pieces of any size, none of which may lose a row or tell it twice. */
function exported(text: string): QueryEvent[] {
  const database = openForReading(file);
  const request = { filter: filterOf(text), format: 'ndjson', now } as const;
  let lines = '';
  for (const steps = exportPieces(database, request, 500); ; ) {
    const { done, value } = steps.next();
    lines += value?.octets.toString() ?? '';
    if (done) break;
  }
  database.close();
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const span = { from: start, to: start + 15_000, buckets: 7 };

function counted(filter: string) {
  return runJob(file, 'histogram', { filter: filterOf(filter), ...span, now }).counts;
}

function countedByHand(events: readonly QueryEvent[]) {
  const counts = Object.fromEntries(
    queryClasses.map((name) => [name, new Array<number>(span.buckets).fill(0)]),
  );
  const width = Math.ceil(((span.to - span.from) * 1000) / span.buckets);
  for (const event of events) {
    const { at } = event;
    const own = counts[classOf(event)] as number[];
    if (at < span.from || at >= span.to) continue;
    const bucket = Math.floor(Math.round((at - span.from) * 1000) / width);
    own[bucket] = (own[bucket] ?? 0) + 1;
  }
  return counts;
}

describe('among ten thousand rows', () => {
  const rows = 10 * blockSize;

  beforeEach(() => {
    const events = Array.from({ length: rows }, (_, index) =>
      record({
        id: index + 1,
        at: start * 1000 + index,
        name: index % 100 === 7 ? `rare${index}.example` : `common${index % 50}.example`,
        outcome: index === 2000 ? 5 : index % 2,
        upstream: index < 1024 ? 'old' : 'new',
      }),
    );
    for (let at = 0; at < rows; at += 1000) keep(events.slice(at, at + 1000));
  });

  test('one that fits is found among the others', () => {
    expect(readEvents(file, { limit: 10, filter: 'outcome:portal' })).toHaveLength(1);
  });

  test.each([
    ['', rows],
    ['outcome:cached', rows / 2],
    ['upstream:old', 1024],
    ['rare', 103],
    ['*', rows],
    ['-*', 0],
    ['upstream:old outcome:cached', 512],
    ['rare outcome:cached', 103],
    // Their summaries show only that these rows took 8.2 to 16.4 ms.
    ['slower:12ms', rows],
    ['slower:13ms', 0],
  ])('%j is borne by %i rows of them', (filter, fitting) => {
    expect(runJob(file, 'count', { filter: filterOf(filter), now })).toEqual({
      rows: fitting,
      of: rows,
    });
  });

  test('a histogram of all is the sum of what blocks hold', () => {
    const { counts, from, to, width } = runJob(file, 'histogram', {
      filter: [],
      from: start,
      to: start + 20,
      buckets: 4,
      now,
    });
    expect([from, to, width]).toEqual([start, start + 20, 5]);
    const sums = Object.values(counts).map((all) => all.reduce((sum, one) => sum + one, 0));
    expect(sums.reduce((sum, one) => sum + one, 0)).toBe(rows);
    expect(counts.encrypted.reduce((sum, one) => sum + one, 0)).toBe(rows / 2);
  });

  test('what is erased is found no more, and the blocks it stood in are read row by row', () => {
    store.limit({ keepDays: 1, maxMegabytes: 100 });
    const later = start + 86_400_000 + 1.5;
    while (store.trimStep(later));
    const left = rows - store.rows;
    expect(left).toBeGreaterThan(1000);
    expect(readEvents(file, { limit: 10, filter: 'upstream:old name:common1.example' })).toEqual(
      [],
    );
    expect(runJob(file, 'count', { filter: filterOf('outcome:cached'), now })).toEqual({
      rows: pages('outcome:cached', 1000).length,
      of: store.rows,
    });
  });

  test('the values that occur are suggested, the most frequent first', () => {
    const { upstream, type, rule, client } = runJob(file, 'suggest', {});
    expect(upstream.map(({ value }) => value)).toEqual(['new', 'old']);
    expect(type).toEqual([{ value: 'HTTPS', rows }]);
    expect(rule).toEqual([]);
    expect(client).toEqual([{ value: '127.0.0.1', rows }]);
  });

  test('one row is found by its id, or not', () => {
    expect(runJob(file, 'event', { id: 2001 })?.outcome).toBe(outcomes[5]);
    expect(runJob(file, 'event', { id: rows + 1 })).toBeNull();
  });
});

test('an expression takes both cases, and a name with a space is found as it is said', () => {
  keep([
    record({ id: 1, name: 'a.zone.example' }),
    record({ id: 2, name: 'my\\032printer.local' }),
  ]);
  const count = (filter: string) => runJob(file, 'count', { filter: filterOf(filter), now }).rows;
  for (const filter of ['/ZONE/', '/Zone\\.EX/', '"my printer"', 'name:"my printer.local"'])
    expect(count(filter), filter).toBe(1);
  expect(count('/(?-i)ZONE/')).toBe(0);
});

test('a summary of a version that counted fewer columns leaves out no row', () => {
  const events = Array.from({ length: blockSize }, (_, index) =>
    record({ id: blockSize + index, program: index % 2 === 0 ? 'firefox' : 'curl' }),
  );
  keep(events);
  const database = new Database(file);
  database.exec(`UPDATE blocks SET summary = json_remove(summary, '$.counts.asker')`);
  database.close();
  for (const filter of ['program:firefox', '-program:firefox'])
    expect(runJob(file, 'count', { filter: filterOf(filter), now }).rows, filter).toBe(
      blockSize / 2,
    );
});
