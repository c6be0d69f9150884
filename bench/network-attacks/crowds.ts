/** Figure 5 of the T-DNS report, its second half: attackers that open ten connections a second each, and keep them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { type LoadSummary, startClients } from '../server/clients.ts';
import { begin } from '../server/costs.ts';
import type { Server } from '../server/servers.ts';
import type { Paced } from './pace.ts';
import { pacedClients, visitors } from './paced-clients.ts';
import { attacked, attackers, type Neighbourhood, type Stage } from './stage.ts';

/** A twentieth of the report's 4,096, which take a twentieth of the time to fill. */
export const places = 205;
export const rate = 10;
const untilItStandsMs = 8000;
const attackSeconds = 11;
const counts = [1, 3, 5, 7, 9] as const;

export interface Crowded {
  attackers: number;
  neighbourhood: Neighbourhood | null;
  /** connections of the attackers that are open at the end */
  held: number;
  newcomers: Paced;
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
  const load = { kind: 'queries', connections: 10, rate: 500, seconds: attackSeconds } as const;
  const there = await startClients(lab, port, load, stage.network);
  const from = neighbourhood === null ? [] : attackers[neighbourhood].slice(0, count);
  const pace = { from, rate, seconds: attackSeconds, stay: true };
  const crowd = from.length === 0 ? null : await pacedClients(lab, stage, port, pace);
  if (crowd !== null) await pause(untilItStandsMs);
  const newcomers = await visitors(lab, stage, port);
  const held = (await crowd?.summary())?.held ?? 0;
  const kept = await there.summary();
  await program.stop();
  return { attackers: count, neighbourhood, held, newcomers, kept };
}
