/** One round of one figure, with fresh networks, fresh programs, and names that were never queried before. */

import { selfSigned } from '../../rig/certificates.ts';
import { Lab } from '../../rig/lab.ts';
import { farAddress, Link } from '../../rig/network/link.ts';
import type { Namespace } from '../../rig/network/namespace.ts';
import { type ServerOptions, SottoServer, serverName } from '../../rig/peers/sotto-server.ts';
import { farZone } from '../../rig/zones/far.ts';
import type { Program } from './program.ts';
import { Stage } from './stage.ts';

/** This holds whatever the machine's default is: bbr would pace every burst, and cubic is not allowed in every namespace. */
const congestionControl = 'reno';
/** Segments that may leave before the first acknowledgement (RFC 6928). */
export const initialWindow = 10;

interface StageOptions extends Omit<ServerOptions, 'on' | 'addresses' | 'answers' | 'identity'> {
  /** lines of the zone besides those for any name */
  records?: string[];
  /** by default that of the run */
  rttMs?: number;
}

export interface Round {
  /** ms */
  readonly rttMs: number;
  /** counts from 0; the seed of all random choices */
  readonly number: number;
  /** Sotto first; each round starts with the next program */
  readonly programs: readonly Program[];
  /** Two machines and a server on the far one, which exist until `body` is done. */
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
        for (const machine of [link.client, link.far]) {
          await machine.sysctl('net.ipv4.tcp_congestion_control', congestionControl);
          const route = ['192.0.2.0/24', 'dev', 'eth0', 'initcwnd', `${initialWindow}`];
          await machine.ip('route', 'replace', ...route);
        }
        const upstream = await startUpstream(lab, link.far, ofServer);
        return await body(new Stage(lab, link, upstream));
      } finally {
        await lab.close();
      }
    },
  };
}

/**
 * The server has one thread and serves TLS, STARTTLS and cleartext. The name stands in its certificate twice, because smartdns
 * reads only the common name.
 */
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
