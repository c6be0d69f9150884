/**
 * What searching costs the queries of other programs, and how fast an export reaches a program, both through the whole service,
 * whose query log is a copy of the made-up one.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  /** microseconds, one value for each run: without searches, or with searches all the time */
  quiet: number[];
  searching: number[];
  /** how many searches ran in each run: never fewer than there are filters */
  searches: number[];
  /** rows a second, as they arrive */
  exported: { csv: number; ndjson: number };
}

const exportedRows = 2_000_000;
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
  const stub = await startStub(directory, queryLog, upstream, port);
  try {
    await firstAnswer(port, stub);
    const service = await connect(directory);
    const exported = { csv: 0, ndjson: 0 };
    const found: BesideTheStub = { quiet: [], searching: [], searches: [], exported };
    for (let run = 0; run < runs; run += 1) {
      found.quiet.push(await p99OfRun(port, () => true));
      const { p99, searches } = await whileSearching(service, filters, port);
      found.searching.push(p99);
      found.searches.push(searches);
    }
    for (const format of ['csv', 'ndjson'] as const)
      found.exported[format] = await exportRate(directory, format);
    service.close();
    return found;
  } finally {
    await stub.stop();
    await upstream.stop();
    await rm(directory, { recursive: true });
  }
}

async function startStub(
  directory: string,
  queryLog: string,
  { server }: Upstream,
  port: number,
): Promise<Program> {
  const home = homeIn(directory);
  await mkdir(home, { mode: 0o700 });
  await copyFile(queryLog, join(home, 'query-log.sqlite'));
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
    queryLog: { keepDays: 3650, maxMegabytes: 100_000 },
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

async function whileSearching(
  service: ConnectedService,
  filters: readonly string[],
  port: number,
): Promise<{ p99: number; searches: number }> {
  let measuring = true;
  let searches = 0;
  const measured = p99OfRun(port, () => searches >= filters.length).finally(() => {
    measuring = false;
  });
  const searching = (async () => {
    while (measuring) {
      const filter = filters[searches % filters.length] ?? '';
      const found = await service.call('log.search', { filter, limit: 100 });
      if (!found.ok) throw new Error(found.failure.message);
      searches += 1;
    }
  })();
  const [p99] = await Promise.all([measured, searching]);
  return { p99, searches };
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
