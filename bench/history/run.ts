/**
 * `npm run bench:history`: how long searches in ten million rows take, how fast they are exported, what a row costs the
 * writer, and what all that costs whoever asks the stub meanwhile. Writes docs/measurements/history.md. The history made up for it is kept in target/bench for the next run.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
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
import { measureBesideTheStub } from './beside-the-stub.ts';
import { fillHistory, writerCost } from './made-up-history.ts';

const rows = 10_000_000;
const names = 300_000;
const now = Date.UTC(2026, 0, 31);
const runs = 5;
const pageLimit = 100;
const exportedPieces = 20;
const wantedRate = 200_000;
const mostOfQuiet = 1.25;

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

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));
await mkdir(workshop, { recursive: true });
const machine = await machineFacts();
const file = join(workshop, `history-${rows}.sqlite`);
// Beside, then in place: half a history is none.
if (!existsSync(file)) {
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  fillHistory(unfinished, { rows, names }, now);
  renameSync(unfinished, file);
}
const cost = writerCost(`${file}.writer`, names);
console.log(cost);

const lines: string[] = [];
for (const [filter, most] of searches) {
  const times = Array.from({ length: runs }, () =>
    timed('search', { filter: terms(filter), limit: pageLimit, now }),
  );
  const ms = median(times.map(({ ms }) => ms)) ?? 0;
  const verdict = most === null ? '–' : `${most.ms} ${inWords(ms <= most.ms)}`;
  const cells = [
    `\`${filter.replaceAll('|', '\\|') || '(everything)'}\``,
    shown(ms, 0),
    shown(Math.max(...times.map(({ ms }) => ms)), 0),
    shown(median(times.map(({ cpu }) => cpu)) ?? 0, 0),
    verdict,
  ];
  lines.push(`| ${cells.join(' | ')} |`);
  console.log(lines.at(-1));
}
const rates = { csv: exportRate('csv'), ndjson: exportRate('ndjson') };
console.log(rates);
const filters = searches.map(([filter]) => filter);
const beside = await measureBesideTheStub(file, filters, runs);
console.log(beside);
await writeFile(join(measurements, 'history.md'), report());

function report(): string {
  const quiet = median(beside.quiet) ?? 0;
  const searching = median(beside.searching) ?? 0;
  const list = (values: number[]) => values.map((value) => shown(value, 0)).join(' · ');
  return `# Searching the history

Written by \`npm run bench:history\`: ${shown(rows, 0)} rows, ${shown(names, 0)} names (Zipf), the first page of ${pageLimit} rows with the number of
all that fit; median and slowest of ${runs}, and the processor's time in it, the file in the system's cache. The reader remembers
the summaries of blocks, so the slowest run of the first filters is the first search after a start. ${machine.processor},
${machine.cores} cores, load before ${shown(machine.loadBefore, 1)}: where others are at work, figures tell of them too. Node ${machine.node}.

| filter | median ms | slowest ms | on the processor, ms | at most |
|---|--:|--:|--:|---|
${lines.join('\n')}

| export, rows a second | CSV | NDJSON | at least |
|---|--:|--:|---|
| by the reader | ${shown(rates.csv, 0)} | ${shown(rates.ndjson, 0)} | ${shown(wantedRate, 0)} ${inWords(Math.min(rates.csv, rates.ndjson) >= wantedRate)} |
| as a program on the control socket gets it | ${shown(beside.exported.csv, 0)} | ${shown(beside.exported.ndjson, 0)} | – |

The writer: ${shown(cost.append, 1)} µs a row to append, ${shown(cost.index, 1)} µs a row behind it for searches.

What the stub's users feel of it: the 99th percentile of questions asked one after the other, in interleaved runs without
searches and while all of the above are searched without a pause. Median ${shown(quiet, 0)} µs without, ${shown(searching, 0)} µs with:
ratio ${shown(searching / quiet, 2)} (at most ${mostOfQuiet}) ${inWords(searching <= mostOfQuiet * quiet)}. Without: ${list(beside.quiet)}. With: ${list(beside.searching)}.
`;
}

function inWords(reached: boolean): string {
  return reached ? 'reached' : '**missed**';
}

function terms(text: string) {
  const read = readLogFilter(text);
  if (!read.ok) throw new Error(read.problem.message);
  return read.terms;
}

function timed<Kind extends JobKind>(
  work: Kind,
  request: ReaderJobs[Kind]['request'],
): { ms: number; cpu: number } {
  const [began, before] = [performance.now(), process.threadCpuUsage()];
  answer(work, request);
  const { user, system } = process.threadCpuUsage(before);
  return { ms: performance.now() - began, cpu: (user + system) / 1000 };
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
