/** Processor time of a server for handshakes and queries, and how long its clients wait. */
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { type ProcessorTime, ProcessTree } from '../process-tree.ts';
import { rotated } from '../statistics.ts';
import { clients, type Load } from './clients.ts';
import { first, loopback } from './network.ts';
import { type Server, type Started, servers, start } from './servers.ts';

export const rounds = 3;
/** The same for every server: what each of them can carry. */
export const equalRate = 20_000;
export const crowd = 100;

export const loads = {
  full: { kind: 'full', connections: 16, seconds: 3 },
  resumed: { kind: 'resumed', connections: 16, seconds: 3 },
  'queries 1': { kind: 'queries', connections: 1, outstanding: 100, seconds: 3 },
  'queries 10': { kind: 'queries', connections: 10, outstanding: 100, seconds: 3 },
  'queries 100': { kind: 'queries', connections: crowd, outstanding: 100, seconds: 3 },
  'queries 1000': { kind: 'queries', connections: 1000, outstanding: 1000, seconds: 3 },
  equal: { kind: 'queries', connections: crowd, rate: equalRate, seconds: 4 },
} as const satisfies Record<string, Load>;
export type LoadName = keyof typeof loads;

export interface Cost {
  /** of the server's processor, for each that was done */
  microseconds: number;
  /** of these, in the kernel */
  kernel: number;
  done: number;
  failed: number;
  resumed: number;
  p50: number;
  p99: number;
  /** share of their processor that the clients took */
  clientsBusy: number;
}

export type Costs = Record<LoadName | 'half', Cost>;

/** By the title of the server, one of each round. */
export async function costs(lab: Lab, identity: Identity): Promise<Map<string, Costs[]>> {
  const all = new Map<string, Costs[]>(servers.map(({ title }) => [title, []]));
  for (let round = 0; round < rounds; round++)
    for (const server of rotated(servers, round)) {
      const costs = await costsOf(lab, server, identity);
      all.get(server.title)?.push(costs);
      const each = Object.entries(costs).map(([load, cost]) => `${load} ${shown(cost)}`);
      console.log(`round ${round + 1} of ${rounds}, ${server.title}: ${each.join(', ')}`);
    }
  return all;
}

function shown({ microseconds, failed }: Cost): string {
  return `${microseconds.toFixed(1)} µs${failed > 0 ? ` (${failed} failed)` : ''}`;
}

/** `places`: for connections; as many as there are descriptors, if left out. */
export async function begin(
  lab: Lab,
  server: Server,
  identity: Identity,
  places?: number,
  processors?: string[],
  network = loopback,
): Promise<Started> {
  const asks: Load = { kind: 'full', connections: 1, seconds: 0.3 };
  const probe = async (port: number) => (await clients(lab, port, asks, network)).done > 0;
  return await start(lab, server, identity, probe, places, processors, network);
}

async function costsOf(lab: Lab, server: Server, identity: Identity): Promise<Costs> {
  const started = await begin(lab, server, identity);
  const measured: Partial<Costs> = {};
  for (const [load, what] of Object.entries(loads)) {
    // so that they do not wait for others on their own processor
    const network = load === 'equal' ? first(loopback) : loopback;
    measured[load as LoadName] = await cost(lab, started, what, network);
  }
  const most = measured[`queries ${crowd}`] as Cost;
  const seconds = loads[`queries ${crowd}`].seconds;
  const half = { ...loads.equal, rate: Math.round(most.done / seconds / 2) };
  measured.half = await cost(lab, started, half);
  await started.program.stop();
  return measured as Costs;
}

export async function cost(
  lab: Lab,
  { port, program }: Started,
  load: Load,
  network = loopback,
): Promise<Cost> {
  const tree = new ProcessTree(program.pid);
  const before = await tree.processorTime();
  const { done, failed, resumed, latencyMs, busy } = await clients(lab, port, load, network);
  const after = await tree.processorTime();
  const spent = (part: keyof ProcessorTime) => ((after[part] - before[part]) * 1e6) / done;
  const { p50, p99 } = latencyMs ?? { p50: Number.NaN, p99: Number.NaN };
  const [microseconds, kernel] = [spent('all'), spent('kernel')];
  return { microseconds, kernel, done, failed, resumed, p50, p99, clientsBusy: busy ?? Number.NaN };
}
