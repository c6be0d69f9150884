/** Resident memory of idle connections, and what is left of it when they are closed. */
import { readFile } from 'node:fs/promises';
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { ProcessTree } from '../process-tree.ts';
import { clients, idleClients } from './clients.ts';
import { begin } from './costs.ts';
import { type Server, servers } from './servers.ts';

export const manies = [5_000, 10_000, 18_000] as const;

export interface Memory {
  connections: number;
  /** MB (10^6 octets), resident: before, with all connections, and after they closed and a second of queries */
  before: number;
  open: number;
  after: number;
  /** MB of the kernel's slabs, for both ends of each connection */
  kernel: number;
}

/** By the title of the server. */
export async function memory(lab: Lab, identity: Identity): Promise<Map<string, Memory[]>> {
  const all = new Map<string, Memory[]>();
  for (const server of servers) {
    const seen: Memory[] = [];
    for (const connections of manies) seen.push(await memoryOf(lab, server, identity, connections));
    all.set(server.title, seen);
    console.log(server.title, seen);
  }
  return all;
}

async function memoryOf(
  lab: Lab,
  server: Server,
  identity: Identity,
  connections: number,
): Promise<Memory> {
  const { port, program } = await begin(lab, server, identity);
  const tree = new ProcessTree(program.pid);
  const [before, slabs] = [await tree.residentMegabytes(), await slabMegabytes()];
  const crowd = await idleClients(lab, port, connections);
  const [open, kernel] = [await tree.residentMegabytes(), (await slabMegabytes()) - slabs];
  await crowd.stop();
  await tree.settled();
  await clients(lab, port, { kind: 'queries', connections: 1, seconds: 1 });
  await tree.settled();
  const after = await tree.residentMegabytes();
  await program.stop();
  return { connections, before, open, after, kernel };
}

async function slabMegabytes(): Promise<number> {
  const found = /^Slab:\s+(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'));
  return (Number(found?.[1] ?? Number.NaN) * 1024) / 1e6;
}
