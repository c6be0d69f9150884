/** Clients that want to shut others out, and how those others fare. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { slowClients } from '../../e2e/rig/sotto-lab.ts';
import { ProcessTree } from '../process-tree.ts';
import {
  clientProcessor,
  clients,
  type Load,
  type LoadSummary,
  startClients,
} from '../server/clients.ts';
import { begin } from '../server/costs.ts';
import { first, inTheGaps, loopback } from '../server/network.ts';
import { name, type Server, servers } from '../server/servers.ts';

/** The report's number of slots. */
export const places = 4096;
/** Some seconds more than the attack needs to be there. */
const attackSeconds = 14;
/** a second */
const newGuests = 1000;
const untilItStands = 4000;
const untilTheyAreThere = 1000;
/** All attackers of one kind come from here, where they need no more than one address. */
const from = ['127.0.2.1'];
const attackers = inTheGaps(loopback);
const others = first(loopback);

interface Stoppable {
  stop(): Promise<void>;
}

interface Attack {
  title: string;
  begin(lab: Lab, port: number): Promise<Stoppable | null>;
}

const tls = (title: string, load: Omit<Load, 'seconds' | 'from'>): Attack => ({
  title,
  begin: (lab, port) =>
    startClients(lab, port, { ...load, seconds: attackSeconds, from }, attackers),
});

export const attacks: readonly Attack[] = [
  { title: 'nobody', begin: async () => null },
  {
    title: '5,000 connect and say nothing',
    begin: (lab, port) =>
      slowClients(
        lab,
        { address: '127.0.0.1', port },
        {
          count: 5000,
          kind: 'connect',
          seconds: attackSeconds,
          name,
          persistent: true,
        },
        (command, args) =>
          attackers.startClient('taskset', ['-c', clientProcessor, command, ...args]),
      ),
  },
  tls('1,000 a second make a handshake, ask once and stay', {
    kind: 'full',
    rate: newGuests,
    connections: newGuests * attackSeconds,
    stay: true,
  }),
  tls('handshakes without end, 64 at a time', { kind: 'full', connections: 64 }),
  tls('200 ask without end, read nothing, and come back when they are cut off', {
    kind: 'deaf',
    connections: 200,
  }),
];

export interface Fared {
  attack: string;
  /** clients that come during the attack, one after the other: a connection for each query */
  newcomers: LoadSummary;
  /** clients that were there before: 500 queries a second on 10 connections */
  kept: LoadSummary;
  /** MB (10^6 octets) of the server, resident */
  memory: number;
}

/** By the title of the server. */
export async function underAttack(lab: Lab, identity: Identity): Promise<Map<string, Fared[]>> {
  const all = new Map<string, Fared[]>();
  for (const server of servers) {
    const fared: Fared[] = [];
    for (const attack of attacks) fared.push(await fare(lab, server, identity, attack));
    all.set(server.title, fared);
    console.log(server.title, JSON.stringify(fared));
  }
  return all;
}

async function fare(lab: Lab, server: Server, identity: Identity, attack: Attack): Promise<Fared> {
  const { port, program } = await begin(lab, server, identity, places);
  const asking: Load = { kind: 'queries', connections: 10, rate: 500, seconds: 10 };
  const there = await startClients(lab, port, asking, others);
  await pause(untilTheyAreThere);
  const attacking = await attack.begin(lab, port);
  await pause(untilItStands);
  const oneByOne: Load = { kind: 'full', connections: 1, seconds: 4 };
  const newcomers = await clients(lab, port, oneByOne, others);
  const memory = await new ProcessTree(program.pid).residentMegabytes();
  const kept = await there.summary();
  await attacking?.stop();
  await program.stop();
  return { attack: attack.title, newcomers, kept, memory };
}
