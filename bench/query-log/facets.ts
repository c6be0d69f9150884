/** How long lists of what occurs most take, counts by facet and by interval: without a filter, an estimate, and exact counts. */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { topKinds } from '../../app/contract/query-log/log-api.ts';
import type { LogFilter } from '../../app/contract/query-log/log-filter.ts';
import { readLogFilter } from '../../app/contract/query-log/log-filter-reading.ts';
import type { JobKind, ReaderJobs } from '../../app/service/query-log/log-messages.ts';
import { openForReading } from '../../app/service/query-log/log-reader.ts';
import { readerJobs } from '../../app/service/query-log/search/reader-jobs.ts';
import { shown } from '../numbers.ts';
import { median } from '../statistics.ts';

const most = { list: 300, estimate: 300, exact: 3000 };
const day = 86_400_000;
const spans: readonly [name: string, days: number][] = [
  ['all', 3650],
  ['the last day', 1],
];
const filters = ['', 'since:1d', 'type:CAA', 'transport:dot', 'slower:100ms', 'site-abc', 'login'];

interface Timed {
  what: string;
  most: number;
  ms: number;
  slowest: number;
}

export interface FacetFigures {
  times: Timed[];
  /** octets of the whole file, and of the roll-ups in it */
  file: number;
  rollUps: number;
}

export function measureFacets(file: string, runs: number, now: number): FacetFigures {
  const lists = spans.flatMap(([name, days]) =>
    topKinds.map((by) => {
      const since = new Date(Math.max(0, now - days * day)).toISOString();
      const request = { by, filter: filterOf(`since:${since}`), limit: 100, now };
      const one = () => timesOf(file, (database) => readerJobs.top(database, request)).all;
      return timed(`${by}, ${name}`, most.list, repeated(runs, one));
    }),
  );
  const counts = filters.flatMap((text) => {
    const request = { filter: filterOf(text), now };
    const times = repeated(runs, () =>
      timesOf(file, (database) => readerJobs.facets(database, request)),
    );
    const exact = times.map(({ all }) => all);
    const first = times.map(({ first }) => first).filter((time) => time !== null);
    const title = `facets, \`${text || '(everything)'}\``;
    if (first.length === 0) return [timed(title, most.list, exact)];
    return [
      timed(`${title}, estimate`, most.estimate, first),
      timed(`${title}, exact`, most.exact, exact),
    ];
  });
  const intervals = filters.map((text) => {
    const request = { filter: filterOf(text), to: now + day, buckets: 120, now };
    const limit = text === '' || text.startsWith('since') ? most.list : most.exact;
    return exact(`histogram, \`${text || '(everything)'}\``, limit, 'histogram', request);
  });
  const filtered = topKinds.map((by) => {
    const request = { by, filter: filterOf('slower:100ms'), limit: 100, now };
    return exact(`${by}, \`slower:100ms\``, most.exact, 'top', request);
  });
  return {
    times: [...lists, ...filtered, ...counts, ...intervals],
    file: statSync(file).size,
    rollUps: rollUpOctets(file),
  };

  function exact<Kind extends JobKind>(
    what: string,
    limit: number,
    kind: Kind,
    request: ReaderJobs[Kind]['request'],
  ): Timed {
    const one = () => timesOf(file, (database) => readerJobs[kind](database, request)).all;
    return timed(what, limit, repeated(runs, one));
  }
}

function filterOf(text: string): LogFilter {
  const read = readLogFilter(text);
  if (!read.ok) throw new Error(read.problem.message);
  return read.terms;
}

export function facetTable({ times, file, rollUps }: FacetFigures): string {
  const lines = times.map(
    ({ what, most: limit, ms, slowest }) =>
      `| ${what} | ${shown(ms, 0)} | ${shown(slowest, 0)} | ${limit} ${ms <= limit ? 'reached' : '**missed**'} |`,
  );
  return `| list or counts | median ms | slowest ms | at most |
|---|--:|--:|---|
${lines.join('\n')}

The file has ${shown(file / 1e6, 0)} MB; roll-ups are ${shown(rollUps / 1e6, 1)} MB of it.`;
}

function repeated<Value>(runs: number, work: () => Value): Value[] {
  return Array.from({ length: runs }, work);
}

function timed(what: string, limit: number, times: readonly number[]): Timed {
  return { what, most: limit, ms: median(times) ?? 0, slowest: Math.max(...times) };
}

/** `first`: until something was known; null: nothing was before the answer. */
function timesOf(
  file: string,
  job: (database: Database.Database) => Generator<unknown, unknown>,
): { first: number | null; all: number } {
  const database = openForReading(file);
  try {
    const began = performance.now();
    let first: number | null = null;
    const steps = job(database);
    for (let step = steps.next(); !step.done; step = steps.next())
      if (step.value !== undefined) first ??= performance.now() - began;
    return { first, all: performance.now() - began };
  } finally {
    database.close();
  }
}

function rollUpOctets(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .prepare(
        `SELECT sum(length(facets) + length(client) + length(program) + length(domain)) FROM roll_ups`,
      )
      .pluck()
      .get() as number;
  } finally {
    database.close();
  }
}
