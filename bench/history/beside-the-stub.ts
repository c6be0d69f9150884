/**
 * What searching costs whoever asks the stub meanwhile, and how fast an export reaches a program: through the whole service,
 * whose history is a copy of the one made up.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import { eventually } from '../../e2e/system/eventually.ts';
import { freePort } from '../../e2e/system/ports.ts';
import { Program } from '../../e2e/system/process.ts';
import { firstAnswer } from '../first-answer.ts';
import { program } from '../places.ts';
import { askInSequence, provideSequential, type Sequence } from '../sequential.ts';
import { Upstream } from '../upstream.ts';

export interface BesideTheStub {
  /** microseconds, one a run: nobody searches, or somebody does all the time */
  quiet: number[];
  searching: number[];
  /** rows a second, as they arrive */
  exported: { csv: number; ndjson: number };
}

const exportedRows = 400_000;

/** `filters` are searched in turn, without a pause. */
export async function measureBesideTheStub(
  history: string,
  filters: readonly string[],
  runs: number,
): Promise<BesideTheStub> {
  const reason = await provideSequential();
  if (reason !== null) throw new Error(reason);
  const directory = await mkdtemp(join(tmpdir(), 'sotto-history-'));
  const upstream = await Upstream.start(directory);
  const port = await freePort();
  const stub = await startStub(directory, history, upstream, port);
  try {
    await firstAnswer(port, stub);
    const service = await connect(directory);
    const found: BesideTheStub = { quiet: [], searching: [], exported: { csv: 0, ndjson: 0 } };
    for (let run = 0; run < runs; run += 1) {
      found.quiet.push((await answeredAll(port)).p99);
      found.searching.push(await whileSearching(service, filters, () => answeredAll(port)));
    }
    for (const format of ['csv', 'ndjson'] as const)
      found.exported[format] = await exportRate(service, format);
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
  history: string,
  { server }: Upstream,
  port: number,
): Promise<Program> {
  const home = homeIn(directory);
  await mkdir(home, { mode: 0o700 });
  await copyFile(history, join(home, 'query-log.sqlite'));
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
    throw new Error(`${sequence.asked - sequence.answered} questions had no answer`);
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

async function exportRate(service: ConnectedService, format: 'csv' | 'ndjson'): Promise<number> {
  let rows = 0;
  let before: number | null = null;
  const began = performance.now();
  do {
    const piece: Awaited<ReturnType<typeof askForPiece>> = await askForPiece();
    rows += piece.rows;
    before = piece.next;
  } while (before !== null && rows < exportedRows);
  return (rows * 1000) / (performance.now() - began);

  async function askForPiece() {
    const at = before === null ? {} : { before };
    const piece = await service.call('log.export', { filter: '', format, ...at });
    if (!piece.ok) throw new Error(piece.failure.message);
    return piece.value;
  }
}
