/** The program that makes load and misbehaviour, and its reports. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sottoLab } from './available.ts';
import type { Lab } from './lab.ts';
import type { TypeName } from './message.ts';
import { type EncdnsServer, encdnsZone } from './peers/encdns-server.ts';
import { Program } from './process.ts';
import { type Endpoint, text } from './raw-client.ts';
import { suffix } from './zones/far.ts';

interface Percentiles {
  mean: number;
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  max: number;
}

export interface LoadSummary {
  seconds: number;
  sent: number;
  answered: number;
  late: number;
  lost: number;
  duplicates: number;
  strays: number;
  /** SERVFAIL without an extended error */
  unexplained: number;
  unsent: number;
  rcodes: Record<string, number>;
  latencyMs: Percentiles | null;
  senderBehindMs: number;
}

interface Fared {
  asked: number;
  answered: number;
  /** how many in a row failed at the end */
  failing: number;
  failures: Record<string, number>;
  latencyMs: Percentiles | null;
}

export interface SlowSummary {
  clients: number;
  seats: { open: number; most: number; opened: number; closed: number; failed: number };
  udp: Fared;
  tcp: Fared;
}

/** One of a run's lines, a second each. */
export interface LoadSecond {
  at: number;
  sent: number;
  answered: number;
  servfail: number;
  unanswered: number;
}

interface LoadOptions {
  rate: number;
  seconds: number;
  /** the number of names, some of which are more frequent than others; or these names, one after the other */
  names?: number | string[];
  seed?: number;
  /** the part over TCP */
  tcp?: number;
  timeoutSeconds?: number;
}

/** A run that goes on; `summary` exists when it has ended. */
export class Running<Summary, Second> {
  readonly #program: Program;
  readonly #event: string;

  constructor(program: Program, event: string) {
    this.#program = program;
    this.#event = event;
  }

  get seconds(): Second[] {
    return this.#lines('second') as Second[];
  }

  /** Its error message, where it can't do what was ordered. */
  get complaint(): string {
    return this.#program.stderr.trim();
  }

  /** The last line so far. */
  get latest(): Second | undefined {
    return this.seconds.at(-1);
  }

  async summary(): Promise<Summary> {
    await this.#program.exited;
    const [summary] = this.#lines(this.#event);
    if (summary === undefined) throw new Error(this.#program.transcript());
    return summary as Summary;
  }

  /** A run of queries still waits for their responses. */
  async stop(): Promise<void> {
    await this.#program.stop('SIGINT');
  }

  #lines(event: string): unknown[] {
    const complete = this.#program.stdout.split('\n').slice(0, -1);
    return complete.map((line) => JSON.parse(line)).filter((line) => line.event === event);
  }
}

export async function load(lab: Lab, to: Endpoint, options: LoadOptions) {
  const { names = 100_000 } = options;
  const program = await Program.start(sottoLab, [
    ...['load', '--json', '--to', text(to), '--seed', String(options.seed ?? 1)],
    ...['--rate', String(options.rate), '--seconds', String(options.seconds)],
    ...(typeof names === 'number'
      ? ['--suffix', suffix, '--zipf', String(names)]
      : ['--names', await fileOf(lab, names)]),
    ...['--tcp', String(options.tcp ?? 0), '--timeout', String(options.timeoutSeconds ?? 5)],
  ]);
  return lab.adopt(new Running<LoadSummary, LoadSecond>(program, 'load'));
}

/** Sends a query for each name once, and expects a response to each. */
export async function askAll(lab: Lab, to: Endpoint, names: string[], rate: number): Promise<void> {
  const run = await load(lab, to, { names, rate, seconds: names.length / rate });
  const { sent, rcodes } = await run.summary();
  if (rcodes['NOERROR'] !== sent)
    throw new Error(`of ${sent} queries some went unanswered: ${JSON.stringify(rcodes)}`);
}

async function fileOf(lab: Lab, names: string[]): Promise<string> {
  const file = join(lab.directory, `names-${names.length}-${randomUUID()}.txt`);
  await writeFile(file, names.join('\n'));
  return file;
}

export type SlowKind = 'connect' | 'half-message' | 'never-read';

interface SlowOptions {
  count: number;
  kind: SlowKind;
  seconds: number;
  /** the name in the queries of probe and clients */
  name: string;
  type?: TypeName;
  /** who is turned away or cut comes back */
  persistent?: boolean;
}

export async function slowClients(
  lab: Lab,
  to: Endpoint,
  options: SlowOptions,
  start = Program.start,
) {
  const program = await start(sottoLab, [
    ...['slow-clients', '--json', '--to', text(to), '--kind', options.kind],
    ...['--count', String(options.count), '--seconds', String(options.seconds)],
    ...['--name', options.name, '--type', options.type ?? 'A'],
    ...(options.persistent ? ['--persistent'] : []),
  ]);
  return lab.adopt(new Running<SlowSummary, SlowSummary>(program, 'slow-clients'));
}

export interface BoxSummary {
  sent: number;
  /** with what was asked for, out of the box */
  answered: number;
  /** other responses */
  failed: number;
  lost: number;
  seconds: number;
  /** of sotto-lab itself, in microseconds */
  costs: { keyPairUs: number; sharedKeyUs: number; sealUs: number; openUs: number };
}

export type BoxKind = 'plain' | 'session' | 'extended' | 'per-query' | 'garbage';

/** So many queries, of which so many are different, as fast as the server answers. */
export async function boxedLoad(
  lab: Lab,
  server: EncdnsServer,
  kind: BoxKind,
  queries: number,
  different = queries,
): Promise<BoxSummary> {
  const program = await Program.start(sottoLab, [
    ...['encdns', '--json', '--to', text(server), '--zone', encdnsZone, '--key', server.key],
    ...['--kind', kind, '--queries', String(queries), '--different', String(different)],
  ]);
  return await lab.adopt(new Running<BoxSummary, never>(program, 'encdns')).summary();
}
