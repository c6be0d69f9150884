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
import { askInSequence, provideSequential, type Sequence } from '../sequential.ts';
import { Upstream } from '../upstream.ts';

export interface BesideTheStub {
  /** microseconds, one value for each run: without searches, or with searches all the time */
  quiet: number[];
  searching: number[];
  /** rows a second, as they arrive */
  exported: { csv: number; ndjson: number };
}

const exportedRows = 2_000_000;

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
    const found: BesideTheStub = { quiet: [], searching: [], exported: { csv: 0, ndjson: 0 } };
    for (let run = 0; run < runs; run += 1) {
      found.quiet.push((await answeredAll(port)).p99);
      found.searching.push(await whileSearching(service, filters, () => answeredAll(port)));
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

async function answeredAll(port: number): Promise<Sequence> {
  const sequence = await askInSequence(port);
  if (sequence.answered < sequence.asked)
    throw new Error(`${sequence.asked - sequence.answered} queries had no answer`);
  return sequence;
}

async function whileSearching(
  service: ConnectedService,
  filters: readonly string[],
  measure: () => Promise<Sequence>,
): Promise<number> {
  let measuring = true;
  const searching = (async () => {
    for (let turn = 0; measuring; turn += 1) {
      const filter = filters[turn % filters.length] ?? '';
      const found = await service.call('log.search', { filter, limit: 100 });
      if (!found.ok) throw new Error(found.failure.message);
    }
  })();
  const { p99 } = await measure();
  measuring = false;
  await searching;
  return p99;
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
