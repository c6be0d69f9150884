/** Figure 5 of the T-DNS report, its first half: SYN packets from addresses that nobody has, with the kernel's SYN cookies and without. */
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import type { LoadSummary } from '../server/clients.ts';
import { begin } from '../server/costs.ts';
import type { Server } from '../server/servers.ts';
import { attacked, rateAt, type Stage } from './stage.ts';
import { visitors } from './visitors.ts';

export const floods = [
  { title: 'nobody', cookies: 1, flooded: false },
  { title: 'SYN flood, `net.ipv4.tcp_syncookies` 1', cookies: 1, flooded: true },
  { title: 'SYN flood, `net.ipv4.tcp_syncookies` 0', cookies: 0, flooded: true },
] as const;
type Flood = (typeof floods)[number];

const untilItStandsMs = 3000;

export interface Flooded {
  flood: string;
  /** SYN packets a second that reach the server */
  rate: number;
  newcomers: LoadSummary;
}

/** By the title of the server. */
export async function synFloods(lab: Lab, stage: Stage, identity: Identity) {
  // The kernel lets clients that it remembers have the last quarter of the queue. These are all new.
  await stage.server.sysctl('net.ipv4.tcp_no_metrics_save', 1);
  const all: Record<string, Flooded[]> = {};
  for (const server of attacked) {
    const seen: Flooded[] = [];
    for (const flood of floods) seen.push(await underFlood(lab, stage, server, identity, flood));
    all[server.title] = seen;
    console.log(server.title, JSON.stringify(seen));
  }
  await stage.server.sysctl('net.ipv4.tcp_syncookies', 1);
  return all;
}

async function underFlood(
  lab: Lab,
  stage: Stage,
  server: Server,
  identity: Identity,
  { title, cookies, flooded }: Flood,
): Promise<Flooded> {
  await stage.server.sysctl('net.ipv4.tcp_syncookies', cookies);
  const started = await begin(lab, server, identity, undefined, undefined, stage.network);
  const port = String(started.port);
  const words = ['-S', '-p', port, '--rand-source', '--flood'];
  const flood = flooded ? lab.adopt(await stage.forge(...words)) : null;
  const rate = flood === null ? 0 : await rateAt(stage.server, untilItStandsMs);
  const newcomers = await visitors(lab, stage, started.port);
  await flood?.stop();
  await started.program.stop();
  return { flood: title, rate, newcomers };
}
