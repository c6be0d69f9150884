/** Resident memory of a server with limits, so that it remembers clients and resolvers, too. */
import { readFile } from 'node:fs/promises';
import type { Lab } from '../../e2e/rig/lab.ts';
import type { BoxKind } from '../../e2e/rig/sotto-lab.ts';
import { parseResident } from '../process-tree.ts';
import { send, startServer } from './server.ts';

export const clients = 100_000;
const million = 1_000_000;

interface Step {
  what: string;
  kind: BoxKind;
  queries: number;
  different: number;
}

const steps: Step[] = [
  {
    what: '200,000 queries of one client, so that kept replies take all that they may',
    kind: 'session',
    queries: 200_000,
    different: 200_000,
  },
  {
    what: '100,000 client keys, each asking once',
    kind: 'per-query',
    queries: clients,
    different: clients,
  },
  {
    what: '100,000 other client keys',
    kind: 'per-query',
    queries: clients,
    different: clients,
  },
  {
    what: '1,000,000 garbage boxes, each with another key',
    kind: 'garbage',
    queries: million,
    different: million,
  },
  {
    what: '200,000 boxes, each five times',
    kind: 'session',
    queries: million,
    different: 200_000,
  },
];

export interface Resident {
  after: string;
  kilobytes: number;
}

export async function clientMemory(lab: Lab): Promise<Resident[]> {
  const server = await startServer(lab, million);
  const resident = async (after: string) => ({
    after,
    kilobytes: parseResident(await readFile(`/proc/${server.pid}/status`, 'utf8')),
  });
  const seen = [await resident('the start')];
  for (const { what, kind, queries, different } of steps) {
    await send(lab, server, kind, queries, different);
    seen.push(await resident(what));
    console.log(seen.at(-1));
  }
  return seen;
}
