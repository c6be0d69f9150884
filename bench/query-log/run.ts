/**
 * `npm run bench:query-log`: how long searches, lists and counts in ten million rows take, how fast they are exported, what a row
 * costs the writer, and what all that costs the queries of other programs. Writes docs/measurements/query-log.md. The made-up query log is kept in
 * target/bench for the next run.
 */

import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readLogFilter } from '../../app/contract/query-log/log-filter-reading.ts';
import type { JobKind, ReaderJobs } from '../../app/service/query-log/log-messages.ts';
import { openForReading } from '../../app/service/query-log/log-reader.ts';
import { pieceOctets } from '../../app/service/query-log/pour-export.ts';
import { runJob } from '../../app/service/query-log/read-fixture.ts';
import { exportPieces } from '../../app/service/query-log/search/export-piece.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { machineFacts } from '../machine-facts.ts';
import { shown } from '../numbers.ts';
import { workshop } from '../places.ts';
import { median } from '../statistics.ts';
import { measureBesideTheStub } from './beside-the-stub.ts';
import { type FacetFigures, facetTable, measureFacets } from './facets.ts';
import { fillQueryLog, writerCost } from './made-up-log.ts';

const rows = 10_000_000;
const names = 300_000;
const now = Date.UTC(2026, 0, 31);
const pageLimit = 100;
const exportedRows = 1_000_000;
const wantedRate = 200_000;
const mostOfQuiet = 1.25;

const indexed = { ms: 150 };
const substring = { ms: 300 };
/** Each filter with the time that its first page may take; null: there is no limit. */
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

const parts = ['query-log', 'writer', 'searches', 'facets', 'export', 'stub'] as const;
const usage = `npm run bench:query-log -- [--only PARTS] [--resume] [--runs N]
  --only    ${parts.join(',')}: some of these (default: all)
            query log makes the ten million rows, if they are not there yet: three minutes or more. It is kept in target/bench
  --resume  what a run before this one has measured is not measured again
  --runs    rounds of each search, and of the stub with searches and without (default: 5)
docs/measurements/query-log.md is written as soon as all parts are measured: at once, or in several runs.`;

interface Searched {
  filter: string;
  most: number | null;
  ms: number;
  slowest: number;
  cpu: number;
}

interface Results {
  machine: Awaited<ReturnType<typeof machineFacts>>;
  writer: ReturnType<typeof writerCost>;
  searches: Searched[];
  facets: FacetFigures;
  export: { csv: number; ndjson: number };
  stub: Awaited<ReturnType<typeof measureBesideTheStub>>;
}

const resultsFile = join(workshop, 'query-log-results.json');
const options = readOptions();
const wanted = new Set(options.only);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));
await mkdir(workshop, { recursive: true });
const machine = await machineFacts();
const file = join(workshop, `query-log-${rows}.sqlite`);
// It is made beside its place and then moved, because an incomplete one is useless.
if (!existsSync(file)) {
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  fillQueryLog(unfinished, { rows, names }, now);
  renameSync(unfinished, file);
}
if (wanted.has('writer')) await measured('writer', () => writerCost(`${file}.writer`, names));
if (wanted.has('searches')) await measured('searches', () => searches.map(searched));
if (wanted.has('facets')) await measured('facets', () => measureFacets(file, options.runs, now));
if (wanted.has('export'))
  await measured('export', () => ({ csv: exportRate('csv'), ndjson: exportRate('ndjson') }));
const filters = searches.map(([filter]) => filter);
if (wanted.has('stub'))
  await measured('stub', () => measureBesideTheStub(file, filters, options.runs));
const known = results();
if (parts.every((part) => part === 'query-log' || part in known)) {
  const all = known as Required<Results>;
  await keepMeasurement('query-log', report(all), all);
} else console.log(`Not all is measured yet: --resume goes on. So far: ${resultsFile}`);

/** Each result is kept as soon as it is known, so that a run can be interrupted and resumed. */
async function measured<Part extends keyof Results>(
  part: Part,
  measure: () => Promise<Results[Part]> | Results[Part],
): Promise<void> {
  const found = await measure();
  console.log(part, found);
  await writeFile(resultsFile, JSON.stringify({ ...results(), machine, [part]: found }, null, 2));
}

function results(): Partial<Results> {
  return existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {};
}

function searched([filter, most]: (typeof searches)[number]): Searched {
  const times = Array.from({ length: options.runs }, () =>
    timed('search', { filter: terms(filter), limit: pageLimit, now }),
  );
  return {
    filter,
    most: most?.ms ?? null,
    ms: median(times.map(({ ms }) => ms)) ?? 0,
    slowest: Math.max(...times.map(({ ms }) => ms)),
    cpu: median(times.map(({ cpu }) => cpu)) ?? 0,
  };
}

function line({ filter, most, ms, slowest, cpu }: Searched): string {
  const name = `\`${filter.replaceAll('|', '\\|') || '(everything)'}\``;
  const verdict = most === null ? '–' : `${most} ${inWords(ms <= most)}`;
  return `| ${[name, shown(ms, 0), shown(slowest, 0), shown(cpu, 0), verdict].join(' | ')} |`;
}

function report({
  machine,
  writer: cost,
  searches: lines,
  facets,
  export: rates,
  stub: beside,
}: Required<Results>): string {
  const quiet = median(beside.quiet) ?? 0;
  const span = (values: number[]) => `${Math.min(...values)} to ${Math.max(...values)}`;
  const besides = (what: string, values: number[], most: number | null) => {
    const ratio = (median(values) ?? 0) / quiet;
    const runs = values.map((value) => shown(value, 0)).join(' · ');
    const verdict = most === null ? '–' : `${most} ${inWords(ratio <= most)}`;
    return `| ${[what, shown(median(values) ?? 0, 0), runs, shown(ratio, 2), verdict].join(' | ')} |`;
  };
  return `# Searching the query log

Written by \`npm run bench:query-log\`: ${shown(rows, 0)} rows, ${shown(names, 0)} names (Zipf), the first page of ${pageLimit} rows with the number of
all that match; median and slowest of ${options.runs}, and the processor time; the file is in the system's cache. The reader remembers
the summaries of blocks, so the slowest run of the first filters is the first search after a start. ${machine.processor},
${machine.cores} cores, load before ${shown(machine.loadBefore, 1)}: other work on the machine is part of the figures. Node ${machine.node}.

| filter | median ms | slowest ms | on the processor, ms | at most |
|---|--:|--:|--:|---|
${lines.map(line).join('\n')}

${facetTable(facets)}

| export, rows a second | CSV | NDJSON | at least |
|---|--:|--:|---|
| by the reader | ${shown(rates.csv, 0)} | ${shown(rates.ndjson, 0)} | ${shown(wantedRate, 0)} ${inWords(Math.min(rates.csv, rates.ndjson) >= wantedRate)} |
| as a program on the control socket gets it | ${shown(beside.exported.csv, 0)} | ${shown(beside.exported.ndjson, 0)} | – |

The writer: ${shown(cost.append, 1)} µs a row to append, ${shown(cost.index, 1)} µs a row afterwards for searches.

The effect on the stub's users: the 99th percentile of queries sent one after the other, in interleaved runs. Searched and
counted is without a pause; each run went on until everything was asked for at least once (${span(beside.searches)} searches, ${span(beside.counts)} counts a run).

| | median µs | each run, µs | beside a quiet log | at most |
|---|--:|---|--:|---|
${[
  besides('nothing is recorded', beside.unrecorded, null),
  besides('everything is recorded, nobody looks', beside.quiet, null),
  besides('all of the above is searched', beside.searching, mostOfQuiet),
  besides('what Home and Queries count is counted', beside.counting, mostOfQuiet),
].join('\n')}
`;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', default: parts.join() },
        resume: { type: 'boolean', default: false },
        runs: { type: 'string', default: '5' },
        help: { type: 'boolean', default: false },
      },
    });
    const runs = Number(values.runs);
    const asked = values.only.split(',') as (typeof parts)[number][];
    const unknown = asked.find((part) => !parts.includes(part));
    if (values.help || unknown !== undefined || !Number.isInteger(runs) || runs < 1)
      throw new Error(unknown === undefined ? '' : `--only ${unknown} is not known`);
    if (!values.resume && values.only === parts.join()) rmSync(resultsFile, { force: true });
    const done = values.resume ? Object.keys(results()) : [];
    return { only: asked.filter((part) => !done.includes(part)), runs };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`.trim());
    process.exit(process.argv.includes('--help') ? 0 : 2);
  }
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
  runJob(file, work, request);
  const { user, system } = process.threadCpuUsage(before);
  return { ms: performance.now() - began, cpu: (user + system) / 1000 };
}

function exportRate(format: 'csv' | 'ndjson'): number {
  const database = openForReading(file);
  try {
    let exported = 0;
    const began = performance.now();
    for (const piece of exportPieces(database, { filter: [], format, now }, pieceOctets)) {
      exported += piece?.rows ?? 0;
      if (exported >= exportedRows) break;
    }
    return (exported * 1000) / (performance.now() - began);
  } finally {
    database.close();
  }
}
