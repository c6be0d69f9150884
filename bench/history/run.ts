/**
 * `npm run bench:history`: how long searches in ten million rows take, how fast they are exported, and what a row costs the
 * writer. Writes docs/measurements/history.md. The history made up for it is kept in target/bench for the next run.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLogFilter } from '../../app/contract/log-filter-reading.ts';
import type { JobKind, ReaderJobs } from '../../app/service/query-log/log-messages.ts';
import { openForReading } from '../../app/service/query-log/log-reader.ts';
import { readerJobs } from '../../app/service/query-log/search/reader-jobs.ts';
import { machineFacts } from '../machine.ts';
import { shown } from '../numbers.ts';
import { measurements, workshop } from '../places.ts';
import { median } from '../statistics.ts';
import { fillHistory } from './made-up-history.ts';

const rows = 10_000_000;
const names = 300_000;
const now = Date.UTC(2026, 0, 31);
const runs = 5;
const pageLimit = 100;
const exportedPieces = 20;

const indexed = { ms: 150 };
const substring = { ms: 300 };
/** Each with what its first page may take; null: nothing was promised. */
const searches: readonly [filter: string, most: { ms: number } | null][] = [
  ['', indexed],
  ['outcome:failed', indexed],
  ['outcome:stale', indexed],
  ['type:CAA', indexed],
  ['type:HTTPS', indexed],
  ['upstream:mullvad', indexed],
  ['transport:dot', indexed],
  ['rule:corp.example', indexed],
  ['clear:bypass', indexed],
  ['slower:500ms', indexed],
  ['since:1h', indexed],
  ['outcome:failed type:SRV', indexed],
  ['name:cdn7.site-0.example0.com', indexed],
  ['site-abc', substring],
  ['login', substring],
  ['*.example5.com', substring],
  ['zzzz', substring],
  ['/^api1\\d\\..*example3/', null],
  ['-cdn -api type:CAA', null],
];

await mkdir(workshop, { recursive: true });
const file = join(workshop, `history-${rows}.sqlite`);
const cost = existsSync(file) ? null : fillHistory(file, { rows, names }, now);

const lines: string[] = [];
for (const [filter, most] of searches) {
  const times = Array.from({ length: runs }, () =>
    timed('search', { filter: terms(filter), limit: pageLimit, now }),
  );
  const ms = median(times) ?? 0;
  const verdict = most === null ? '–' : `${most.ms} ${ms <= most.ms ? 'reached' : '**missed**'}`;
  lines.push(
    `| \`${filter.replaceAll('|', '\\|') || '(everything)'}\` | ${shown(ms, 0)} | ${shown(Math.max(...times), 0)} | ${verdict} |`,
  );
  console.log(lines.at(-1));
}
const rates = { csv: exportRate('csv'), ndjson: exportRate('ndjson') };
console.log(rates, cost);
await writeFile(join(measurements, 'history.md'), await report());

async function report(): Promise<string> {
  const machine = await machineFacts();
  const written =
    cost === null
      ? 'The history was there already, so the writer was not measured.'
      : `The writer: ${shown(cost.append, 1)} µs a row to append, ${shown(cost.index, 1)} µs a row behind it for searches.`;
  return `# Searching the history

Written by \`npm run bench:history\`: ${shown(rows, 0)} rows, ${shown(names, 0)} names (Zipf), the first page of ${pageLimit} rows with the number of
all that fit; median and slowest of ${runs}, the file in the system's cache. The reader remembers the summaries of blocks, so
the slowest run of the first filters is the first search after a start. ${machine.processor}, ${machine.cores} cores, load before
${shown(machine.loadBefore, 1)}: where others are at work, figures tell of them too. Node ${machine.node}.

| filter | median ms | slowest ms | at most |
|---|---|---|---|
${lines.join('\n')}

Export: ${shown(rates.csv, 0)} rows a second as CSV, ${shown(rates.ndjson, 0)} as NDJSON (target 200,000).
${written}
`;
}

function terms(text: string) {
  const read = readLogFilter(text);
  if (!read.ok) throw new Error(read.problem.message);
  return read.terms;
}

function timed<Kind extends JobKind>(work: Kind, request: ReaderJobs[Kind]['request']): number {
  const began = performance.now();
  answer(work, request);
  return performance.now() - began;
}

function exportRate(format: 'csv' | 'ndjson'): number {
  let exported = 0;
  let before: number | undefined;
  const began = performance.now();
  for (let piece = 0; piece < exportedPieces; piece += 1) {
    const { rows: count, next } = answer('export', { filter: [], format, before, now });
    exported += count;
    if (next === null) break;
    before = next;
  }
  return (exported * 1000) / (performance.now() - began);
}

function answer<Kind extends JobKind>(
  work: Kind,
  request: ReaderJobs[Kind]['request'],
): ReaderJobs[Kind]['answer'] {
  const database = openForReading(file);
  try {
    const steps = readerJobs[work](database, request);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  } finally {
    database.close();
  }
}
