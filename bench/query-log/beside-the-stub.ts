/**
 * What recording, searching and counting cost the queries of other programs, and how fast an export reaches a program, all
 * through the whole service, whose query log is a copy of the made-up one.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from '../../app/contract/errors.ts';
import { topKinds } from '../../app/contract/query-log/log-api.ts';
import { beginPouring, readPoured } from '../../app/service-client/pour-log.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import { eventually } from '../../e2e/rig/eventually.ts';
import { freePort } from '../../e2e/rig/ports.ts';
import { Program } from '../../e2e/rig/process.ts';
import { firstAnswer } from '../first-answer.ts';
import { program } from '../places.ts';
import { askInSequence, provideSequential } from '../sequential.ts';
import { median } from '../statistics.ts';
import { Upstream } from '../upstream.ts';

export interface BesideTheStub {
  /** microseconds, one value for each run: nothing is recorded, not even numbers */
  unrecorded: number[];
  /** everything is recorded, and nobody looks */
  quiet: number[];
  /** searches all the time, or all that Home and Queries count */
  searching: number[];
  counting: number[];
  /** how many searches and counts ran in each run: never fewer than there are of them */
  searches: number[];
  counts: number[];
  /** rows a second, as they arrive */
  exported: { csv: number; ndjson: number };
}

const exportedRows = 2_000_000;
const dayMs = 86_400_000;
/** A run is as many sequences as this, or more where the searches take longer. */
const leastSequences = 3;

/** Searches `filters` in turn, without a pause. */
export async function measureBesideTheStub(
  queryLog: string,
  filters: readonly string[],
  runs: number,
): Promise<BesideTheStub> {
  const reason = await provideSequential();
  if (reason !== null) throw new Error(reason);
  const directory = await mkdtemp(join(tmpdir(), 'sotto-queries-'));
  const upstream = await Upstream.start(directory);
  const port = await freePort();
  const unrecordedPort = await freePort();
  const stub = await startStub(homeIn(directory), queryLog, upstream, port);
  const unrecorded = await startStub(join(directory, 'off'), null, upstream, unrecordedPort);
  try {
    await firstAnswer(port, stub);
    await firstAnswer(unrecordedPort, unrecorded);
    const service = await connect(directory);
    const [searching, counting] = [searchesOf(service, filters), countsOf(service)];
    const found: BesideTheStub = {
      unrecorded: [],
      quiet: [],
      searching: [],
      counting: [],
      searches: [],
      counts: [],
      exported: { csv: 0, ndjson: 0 },
    };
    for (let run = 0; run < runs; run += 1) {
      found.unrecorded.push(await p99OfRun(unrecordedPort, () => true));
      found.quiet.push(await p99OfRun(port, () => true));
      const searched = await whileAsking(searching, port);
      found.searching.push(searched.p99);
      found.searches.push(searched.asked);
      const counted = await whileAsking(counting, port);
      found.counting.push(counted.p99);
      found.counts.push(counted.asked);
    }
    for (const format of ['csv', 'ndjson'] as const)
      found.exported[format] = await exportRate(directory, format);
    service.close();
    return found;
  } finally {
    await unrecorded.stop();
    await stub.stop();
    await upstream.stop();
    await rm(directory, { recursive: true });
  }
}

/** Without a `queryLog` to begin with, nothing is recorded. */
async function startStub(
  home: string,
  queryLog: string | null,
  { server }: Upstream,
  port: number,
): Promise<Program> {
  await mkdir(home, { mode: 0o700 });
  if (queryLog !== null) await copyFile(queryLog, join(home, 'query-log.sqlite'));
  const settings = {
    listen: [`127.0.0.1:${port}`],
    upstreams: [
      {
        id: 'bench',
        transport: 'dot',
        address: `127.0.0.1:${server.port}`,
        name: server.name,
        ca: server.ca,
      },
    ],
    systemResolvers: [],
    queryLog: queryLog === null ? { mode: 'off' } : { keepDays: 3650, maxMegabytes: 100_000 },
  };
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
  return await Program.start(process.execPath, [...program, 'run'], { env: { SOTTO_HOME: home } });
}

function homeIn(directory: string): string {
  return join(directory, 'home');
}

async function connect(directory: string): Promise<ConnectedService> {
  return await eventually('the service', async () => {
    const reached = await connectToService(join(homeIn(directory), 'control.sock'), 'bench');
    return reached.ok ? reached.value : undefined;
  });
}

/** The median of its sequences. Goes on until `isEnough`. */
async function p99OfRun(port: number, isEnough: () => boolean): Promise<number> {
  const p99s: number[] = [];
  while (p99s.length < leastSequences || !isEnough()) {
    const { asked, answered, p99 } = await askInSequence(port);
    if (answered < asked) throw new Error(`${asked - answered} queries had no response`);
    p99s.push(p99);
  }
  return median(p99s) ?? 0;
}

type Ask = () => Promise<Result<unknown>>;

function searchesOf(service: ConnectedService, filters: readonly string[]): Ask[] {
  return filters.map((filter) => () => service.call('log.search', { filter, limit: 100 }));
}

/** What the charts, chips and rankings of Home and Queries call for. */
function countsOf(service: ConnectedService): Ask[] {
  const until = Date.now();
  return [
    ...topKinds.map((by) => () => service.call('log.top', { by, filter: '', limit: 100 })),
    () => service.call('log.facets', { filter: '' }),
    () => service.call('log.facets', { filter: 'login' }),
    () => service.call('log.histogram', { filter: '', buckets: 120 }),
    () => service.call('log.histogram', { filter: 'slower:100ms', buckets: 120 }),
    () => service.call('stats.series', { since: until - dayMs, until, points: 288 }),
  ];
}

async function whileAsking(
  asks: readonly Ask[],
  port: number,
): Promise<{ p99: number; asked: number }> {
  let measuring = true;
  let asked = 0;
  const measured = p99OfRun(port, () => asked >= asks.length).finally(() => {
    measuring = false;
  });
  const asking = (async () => {
    while (measuring) {
      const found = await asks[asked % asks.length]?.();
      if (found?.ok === false) throw new Error(found.failure.message);
      asked += 1;
    }
  })();
  const [p99] = await Promise.all([measured, asking]);
  return { p99, asked };
}

/** Exports everything until enough has arrived; it ends when the client closes. */
async function exportRate(directory: string, format: 'csv' | 'ndjson'): Promise<number> {
  const begun = await beginPouring(await connect(directory), { filter: '', format });
  if (!begun.ok) throw new Error(begun.failure.message);
  let rows = 0;
  const began = performance.now();
  for await (const part of readPoured(begun.value)) {
    if (part.kind === 'rows') rows += part.rows;
    if (part.kind === 'failure') throw new Error(part.failure.message);
    if (rows >= exportedRows) break;
  }
  return (rows * 1000) / (performance.now() - began);
}
