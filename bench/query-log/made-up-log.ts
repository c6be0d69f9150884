/**
 * Ten million queries as a household would send them over a month: 300,000 names of which few are queried often and most seldom
 * (Zipf). The log's own writer writes the first million; the others are these again, at other times. The same seed makes the same
 * query log.
 */

import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type EventRecord, recordColumns } from '../../app/service/engine/boundary.ts';
import { record } from '../../app/service/query-log/event-record-fixture.ts';
import { LogStore } from '../../app/service/query-log/log-store.ts';

export interface Fill {
  rows: number;
  names: number;
}

/** Microseconds for each row: for appending it, and for the later work for searches. */
export interface WriterCost {
  append: number;
  index: number;
}

const batch = 500;
const mostWritten = 1_000_000;
/** Enough for the file to be larger than SQLite's own cache. */
const rowsForCost = 200_000;
const month = 30 * 86_400_000_000;

/** The time of the writer for rows like these, in a new file that is removed afterwards. */
export function writerCost(file: string, names: number): WriterCost {
  const rows = rowsForCost;
  const cost = writeRows(file, { rows, names }, (id) => id * 1_000_000);
  rmSync(file);
  return cost;
}

/** `now`: the time of the newest query, in unix milliseconds. */
export function fillQueryLog(file: string, fill: Fill, now: number): void {
  const written = Math.min(fill.rows, mostWritten);
  const timeOf = (id: number) => Math.floor(now * 1000 - month + (month / fill.rows) * id);
  writeRows(file, { ...fill, rows: written }, timeOf);
  repeatRows(file, written, fill.rows, month / fill.rows);
  const store = new LogStore(file);
  while (store.indexStep(now));
  store.close();
}

function writeRows(file: string, fill: Fill, timeOf: (id: number) => number): WriterCost {
  const store = new LogStore(file);
  store.limit({ keepDays: 3650, maxMegabytes: 100_000 });
  const chance = generator(20_260_131);
  const pick = zipf(fill.names, chance);
  // Every name is queried at least once.
  const nameOf = (id: number) => madeUpName(id % 3 === 0 && id / 3 < fill.names ? id / 3 : pick());
  const cost: WriterCost = { append: 0, index: 0 };
  for (let first = 1; first <= fill.rows; first += batch) {
    const events = Array.from({ length: Math.min(batch, fill.rows - first + 1) }, (_, index) => {
      const id = first + index;
      return madeUpEvent({ id, at: timeOf(id), name: nameOf(id) }, chance);
    });
    const began = performance.now();
    store.append(events);
    const appended = performance.now();
    while (store.indexStep(0));
    cost.append += ((appended - began) * 1000) / fill.rows;
    cost.index += ((performance.now() - appended) * 1000) / fill.rows;
  }
  store.close();
  return cost;
}

function repeatRows(file: string, written: number, rows: number, apart: number): void {
  const database = new Database(file);
  const same = Object.values(recordColumns)
    .map(({ column }) => column)
    .filter((column) => column !== 'id' && column !== 'at');
  const repeat = database.prepare(
    `INSERT INTO events (id, at, name_id, ${same})
     SELECT id + @by, at + @later, name_id, ${same} FROM events WHERE id <= @last`,
  );
  for (let by = written; by < rows; by += written)
    repeat.run({ by, later: Math.floor(by * apart), last: Math.min(written, rows - by) });
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** The shares are those of a browser's day: most from cache, very few failed, very few in cleartext. */
function madeUpEvent(
  event: Pick<EventRecord, 'id' | 'at' | 'name'>,
  chance: () => number,
): EventRecord {
  const outcome = picked(
    chance(),
    [0.55, 1],
    [0.4478, 0],
    [0.0015, 6],
    [0.0006, 7],
    [0.00009, 2],
    [1, 3],
  );
  const slow = chance() < 0.0003 ? 900_000 : 0;
  const wait = Math.floor(4_000 + 30_000 * chance() ** 8) + slow;
  const asked = outcome === 0 ? { ...sent, wait, total: wait + 60 } : notSent;
  return {
    ...record(event),
    ...asked,
    outcome,
    clientProtocol: 0,
    clear: outcome === 3 ? 4 : 0,
    type: picked(chance(), [0.55, 1], [0.25, 28], [0.1999, 65], [0.00005, 33], [1, 257]),
    class: 1,
    rcode: picked(chance(), [0.94, 0], [0.0599, 3], [1, 2]),
    extendedError: 65_535,
    policy: 3,
    cache: 2,
    connect: 0,
    response: 4,
    queryOctets: 44,
    responseOctets: 120,
    clientPort: 1024 + Math.floor(chance() * 60_000),
    flags: 0,
    handshake: 0,
    upstream: outcome === 0 ? picked(chance(), [0.9999, 'quad9'], [1, 'mullvad']) : '',
    rule: outcome === 3 ? 'corp.example' : '',
    reason: outcome === 7 ? 'no upstream answered in time' : '',
    clientAddress: '127.0.0.1',
  };
}

const sent = { cost: 1, transport: 2, roundTrips: 1, sent: 130, received: 470 };
const notSent = { cost: 0, transport: 0, roundTrips: 0, sent: 0, received: 0, wait: 0, total: 60 };

/** The value into whose share `chance` falls. */
function picked<Value>(chance: number, ...shares: [share: number, value: Value][]): Value {
  let left = chance;
  for (const [share, value] of shares) {
    if (left < share) return value;
    left -= share;
  }
  return (shares.at(-1) as [number, Value])[1];
}

const words = ['cdn', 'api', 'img', 'static', 'edge', 'media', 'login', 'track', 'push', 'mail'];

function madeUpName(index: number): string {
  const word = words[index % words.length] ?? '';
  const site = (index * 7919) % 1_000_003;
  return `${word}${index % 97}.site-${site.toString(36)}.example${index % 13}.com`;
}

/** Rank r is picked in proportion to 1/r. */
function zipf(size: number, chance: () => number): () => number {
  const cumulative = new Float64Array(size);
  let sum = 0;
  for (let rank = 0; rank < size; rank += 1) {
    sum += 1 / (rank + 1);
    cumulative[rank] = sum;
  }
  return () => {
    const wanted = chance() * sum;
    let [low, high] = [0, size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Mulberry32: from 0 up to, but not including, 1. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
