/** Figure 5 of the T-DNS report, its second half: attackers that open ten connections a second each, and keep them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { type Load, type LoadSummary, startClients } from '../server/clients.ts';
import { begin } from '../server/costs.ts';
import { first, inTheGaps } from '../server/network.ts';
import type { Server } from '../server/servers.ts';
import { attacked, attackers, type Neighbourhood, type Stage } from './stage.ts';
import { visitors, visitSeconds } from './visitors.ts';

/** A twentieth of the report's 4,096, which take a twentieth of the time to fill. */
export const places = 205;
export const rate = 10;
const untilItStandsSeconds = 8;
const attackSeconds = untilItStandsSeconds + visitSeconds;
const counts = [1, 3, 5, 7, 9] as const;

export interface Crowded {
  attackers: number;
  neighbourhood: Neighbourhood | null;
  /** connections of the attackers that are open at the end */
  held: number;
  newcomers: LoadSummary;
  /** clients that were there before: 500 queries a second on 10 connections */
  kept: LoadSummary;
}

/** By the title of the server. */
export async function crowds(lab: Lab, stage: Stage, identity: Identity) {
  const all: Record<string, Crowded[]> = {};
  for (const server of attacked) {
    const seen = [await underCrowd(lab, stage, server, identity, 0, null)];
    for (const neighbourhood of Object.keys(attackers) as Neighbourhood[])
      for (const count of counts)
        seen.push(await underCrowd(lab, stage, server, identity, count, neighbourhood));
    all[server.title] = seen;
    console.log(server.title, JSON.stringify(seen));
  }
  return all;
}

async function underCrowd(
  lab: Lab,
  stage: Stage,
  server: Server,
  identity: Identity,
  count: number,
  neighbourhood: Neighbourhood | null,
): Promise<Crowded> {
  const { port, program } = await begin(lab, server, identity, places, undefined, stage.network);
  const asking = { kind: 'queries', connections: 10, rate: 500, seconds: attackSeconds } as const;
  const there = await startClients(lab, port, asking, first(stage.network));
  const from = neighbourhood === null ? [] : attackers[neighbourhood].slice(0, count);
  const crowd = from.length === 0 ? null : await startCrowd(lab, stage, port, from);
  if (crowd !== null) await pause(untilItStandsSeconds * 1000);
  const newcomers = await visitors(lab, stage, port);
  const held = (await crowd?.summary())?.held ?? 0;
  const kept = await there.summary();
  await program.stop();
  return { attackers: count, neighbourhood, held, newcomers, kept };
}

async function startCrowd(lab: Lab, stage: Stage, port: number, from: string[]) {
  const everybody = rate * from.length;
  const load: Load = {
    kind: 'full',
    connections: everybody * attackSeconds,
    rate: everybody,
    seconds: attackSeconds,
    from,
    stay: true,
  };
  return await startClients(lab, port, load, inTheGaps(stage.network));
}
