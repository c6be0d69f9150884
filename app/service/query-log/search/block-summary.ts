/**
 * Counts of what a block of a thousand consecutive ids holds. A search leaves out blocks without a row that fits, and a
 * histogram takes the counts of whole blocks. A summary is written once, when a block is full; an index on each column would
 * cost the writer ten times as much.
 */
import type { Database, Statement } from 'better-sqlite3';
import { programColumn } from '../program-column.ts';

export const blockSize = 1024;

export const countedNumbers = ['outcome', 'cost', 'transport', 'clear', 'type', 'rcode'] as const;
export const countedTexts = [
  'upstream',
  'rule',
  'client_address',
  'asker',
  'unit',
  'container',
  'executable',
  'user',
] as const;
export type CountedColumn = (typeof countedNumbers)[number] | (typeof countedTexts)[number];

/** Of a column with more values, the rest is counted together. */
const mostValues = 48;

export interface BlockSummary {
  rows: number;
  /** unix microseconds, of the earliest and the latest row */
  from: number;
  to: number;
  /** rows by value; numbers are written in digits. A summary of an earlier version lacks columns */
  counts: Partial<Record<CountedColumn, Readonly<Record<string, number>>>>;
  /** rows whose value is not among `counts` */
  others: Partial<Record<CountedColumn, number>>;
  /** rows by the power of two of their total: 0 to 1 µs, 2 to 3, 4 to 7 … */
  totals: Readonly<Record<string, number>>;
}

const counted = [...countedNumbers, ...countedTexts];
const selectCounted = `SELECT at, total, ${counted.map(columnOf).join(', ')} FROM events WHERE id >= ? AND id < ?`;

/** "asker" is the program as people read it, and no column of the table. */
export function columnOf(counted: CountedColumn): string {
  return counted === 'asker' ? programColumn : counted;
}

export function blockOf(eventId: number): number {
  return Math.floor(eventId / blockSize);
}

export class BlockSummaries {
  readonly #nextEvent: Statement;
  readonly #rows: Statement;
  readonly #insert: Statement;

  constructor(database: Database) {
    this.#nextEvent = database
      .prepare(
        `SELECT min(id) FROM events
         WHERE id >= (SELECT ifnull(max(id) + 1, 0) * ${blockSize} FROM blocks)`,
      )
      .pluck();
    this.#rows = database.prepare(selectCounted).raw();
    this.#insert = database.prepare('INSERT INTO blocks (id, summary) VALUES (?, ?)');
  }

  /** Counts the earliest full block without a summary; false when there is none. Runs inside a transaction. */
  summariseNext(lastId: number): boolean {
    const first = this.#nextEvent.get() as number | null;
    if (first === null) return false;
    const block = blockOf(first);
    const end = (block + 1) * blockSize;
    if (end > lastId + 1) return false;
    const rows = this.#rows.all(block * blockSize, end) as Row[];
    this.#insert.run(block, JSON.stringify(summarise(rows)));
    return true;
  }
}

/** Summarises rows that are in no full block yet. */
export function summariseRange(database: Database, from: number, below: number): BlockSummary {
  return summarise(database.prepare(selectCounted).raw().all(from, below) as Row[]);
}

type Row = [at: number, total: number, ...values: (number | string)[]];

function summarise(rows: readonly Row[]): BlockSummary {
  const values = counted.map(() => new Map<string, number>());
  const totals = new Map<string, number>();
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [at, total, ...row] of rows) {
    from = Math.min(from, at);
    to = Math.max(to, at);
    add(totals, String(magnitude(total)));
    for (const [index, value] of row.entries()) add(values[index], String(value));
  }
  const counts: BlockSummary['counts'] = {};
  const others: BlockSummary['others'] = {};
  for (const [index, column] of counted.entries()) {
    const sorted = [...(values[index] ?? [])].sort(([, a], [, b]) => b - a);
    counts[column] = Object.fromEntries(sorted.slice(0, mostValues));
    const rest = sorted.slice(mostValues).reduce((sum, [, count]) => sum + count, 0);
    if (rest > 0) others[column] = rest;
  }
  return {
    rows: rows.length,
    from,
    to,
    counts,
    others,
    totals: Object.fromEntries(totals),
  };
}

/** Floor of the binary logarithm; of 0 it is 0. */
function magnitude(microseconds: number): number {
  return 31 - Math.clz32(Math.max(1, microseconds));
}

/** How many rows took longer than this many microseconds: at least, and at most. */
export function slowerRows(
  { totals }: Pick<BlockSummary, 'totals'>,
  limit: number,
): { least: number; most: number } {
  let [least, most] = [0, 0];
  for (const [power, count] of Object.entries(totals)) {
    const lowest = Number(power) === 0 ? 0 : 2 ** Number(power);
    if (lowest > limit) least += count;
    if (2 ** (Number(power) + 1) - 1 > limit) most += count;
  }
  return { least, most };
}

function add(counts: Map<string, number> | undefined, value: string): void {
  counts?.set(value, (counts.get(value) ?? 0) + 1);
}
