/** Values for those fields of a filter that have no fixed list, as they occur in the newest two million rows. */
import type { Database } from 'better-sqlite3';
import { rcodeMnemonic, typeMnemonic } from '../../../contract/dns/dns-mnemonics.ts';
import type { LogResult } from '../../../contract/query-log/log-api.ts';
import {
  type BlockSummary,
  blockSize,
  type CountedColumn,
  summariseRange,
} from './block-summary.ts';

const blocks = 2_000;
const mostSuggested = 100;

export type Suggestions = LogResult<'suggest'>;

export function* suggest(database: Database): Generator<undefined, Suggestions> {
  const rows = database
    .prepare(`SELECT id, summary FROM blocks ORDER BY id DESC LIMIT ${blocks}`)
    .raw()
    .all() as [number, string][];
  yield;
  const counts = new Counts();
  for (const [, text] of rows) {
    counts.add(JSON.parse(text) as BlockSummary);
    yield;
  }
  const [newest] = rows[0] ?? [-1];
  const since = (newest + 1) * blockSize;
  counts.add(summariseRange(database, since, since + 2 * blockSize));
  return {
    upstream: counts.of('upstream'),
    type: counts.of('type', (value) => typeMnemonic(Number(value))),
    rule: counts.of('rule'),
    client: counts.of('client_address'),
    program: counts.of('asker'),
    unit: counts.of('unit'),
    container: counts.of('container'),
    executable: counts.of('executable'),
    user: counts.of('user'),
    rcode: counts.of('rcode', (value) => rcodeMnemonic(Number(value))),
  };
}

class Counts {
  readonly #counts = new Map<string, Map<string, number>>();

  add({ counts }: BlockSummary): void {
    for (const [column, values] of Object.entries(counts)) {
      const sum = this.#counts.get(column) ?? new Map<string, number>();
      this.#counts.set(column, sum);
      for (const [value, rows] of Object.entries(values))
        sum.set(value, (sum.get(value) ?? 0) + rows);
    }
  }

  /** The most frequent first; an empty value is no suggestion. */
  of(column: CountedColumn, say = (value: string) => value): { value: string; rows: number }[] {
    return [...(this.#counts.get(column) ?? [])]
      .filter(([value]) => value !== '')
      .sort(([, a], [, b]) => b - a)
      .slice(0, mostSuggested)
      .map(([value, rows]) => ({ value: say(value), rows }));
  }
}
