/** One round of one figure: fresh networks, fresh programs, names that nobody asked for before. */

import { selfSigned } from '../../rig/certificates.ts';
import { Lab } from '../../rig/lab.ts';
import { farAddress, Link } from '../../rig/network/link.ts';
import type { Namespace } from '../../rig/network/namespace.ts';
import { type ServerOptions, SottoServer, serverName } from '../../rig/peers/sotto-server.ts';
import { farZone } from '../../rig/zones/far.ts';
import type { Program } from './program.ts';
import { Stage } from './stage.ts';

/** Whatever this machine prefers: bbr would pace every burst, and cubic is not allowed in every namespace. */
const congestionControl = 'reno';

interface StageOptions extends Omit<ServerOptions, 'on' | 'addresses' | 'answers' | 'identity'> {
  /** lines of the zone besides those for any name */
  records?: string[];
  /** that of the run, if left out */
  rttMs?: number;
}

export interface Round {
  /** ms */
  readonly rttMs: number;
  /** counts from 0; seeds whatever is drawn by chance */
  readonly number: number;
  /** ours first; each round starts with the next one */
  readonly programs: readonly Program[];
  /** Two machines and a server on the far one, until `body` is done with them. */
  at<T>(options: StageOptions, body: (stage: Stage) => Promise<T>): Promise<T>;
}

export function roundOf(rttMs: number, number: number, programs: readonly Program[]): Round {
  return {
    rttMs,
    number,
    programs,
    async at(options, body) {
      const lab = new Lab();
      await lab.open();
      try {
        const { rttMs: ofSite = rttMs, ...ofServer } = options;
        const delayMs = ofSite / 2;
        const link = await Link.open(lab, { delayMs, seed: number + 1 });
        for (const machine of [link.client, link.far])
          await machine.sysctl('net.ipv4.tcp_congestion_control', congestionControl);
        const upstream = await startUpstream(lab, link.far, ofServer);
        return await body(new Stage(lab, link, upstream));
      } finally {
        await lab.close();
      }
    },
  };
}

/** On one thread, over TLS, STARTTLS and in clear. The name twice: smartdns reads only the common name. */
async function startUpstream(
  lab: Lab,
  on: Namespace,
  { records, ...options }: Omit<StageOptions, 'rttMs'>,
) {
  const address = farAddress.v4;
  const identity = await selfSigned(lab, {
    for: [`DNS:${serverName}`, `IP:${address}`],
    commonName: serverName,
  });
  const answers = await farZone(lab, records);
  return await SottoServer.start(lab, {
    ...{ on, addresses: [address], answers, identity, threads: 1 },
    ...options,
  });
}
