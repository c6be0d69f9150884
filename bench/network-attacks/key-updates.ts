/** Clients that ask for new keys without end (TLS 1.3, RFC 8446 section 4.6.3), for which openssl is told so. */
import { setTimeout as pause } from 'node:timers/promises';
import { locate } from '../../e2e/rig/available.ts';
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { text } from '../../e2e/rig/raw-client.ts';
import { ProcessTree } from '../process-tree.ts';
import type { LoadSummary } from '../server/clients.ts';
import { begin } from '../server/costs.ts';
import { attacked, type Stage } from './stage.ts';
import { visitors } from './visitors.ts';

export const storming = 4;
const untilItStandsMs = 2000;

export interface Stormed {
  /** clients that ask for new keys */
  clients: number;
  newcomers: LoadSummary;
  /** share of the server's processor */
  busy: number;
  /** MB (10^6 octets) of the server, resident */
  memory: number;
}

/** By the title of the server. */
export async function keyUpdates(lab: Lab, stage: Stage, identity: Identity) {
  const all: Record<string, Stormed[]> = {};
  for (const server of attacked) {
    const seen: Stormed[] = [];
    for (const clients of [0, storming]) {
      const { port, program } = await begin(
        lab,
        server,
        identity,
        undefined,
        undefined,
        stage.network,
      );
      const storms = await storm(lab, stage, port, clients);
      if (clients > 0) await pause(untilItStandsMs);
      const tree = new ProcessTree(program.pid);
      const [begun, spent] = [performance.now(), await tree.cpuSeconds()];
      const newcomers = await visitors(lab, stage, port);
      const busy = ((await tree.cpuSeconds()) - spent) / ((performance.now() - begun) / 1000);
      seen.push({ clients, newcomers, busy, memory: await tree.residentMegabytes() });
      for (const each of storms) await each.stop();
      await program.stop();
    }
    all[server.title] = seen;
    console.log(server.title, JSON.stringify(seen));
  }
  return all;
}

/** Each comes back when it is cut off. A `K` asks for new keys of both sides. */
async function storm(lab: Lab, stage: Stage, port: number, clients: number) {
  const to = text({ address: stage.network.address, port });
  const client = `yes K | '${locate('openssl')}' s_client -connect ${to} > /dev/null 2>&1`;
  const shell = ['-c', `while :; do ${client}; done`];
  const started = Array.from({ length: clients }, () => stage.attack('/bin/sh', shell));
  return (await Promise.all(started)).map((each) => lab.adopt(each));
}
