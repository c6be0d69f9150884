/** One round of one figure: fresh networks, fresh programs, names that nobody asked for before. */
import { Lab } from '../../rig/lab.ts';
import { Link } from '../../rig/network/link.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { Upstream, type UpstreamOptions } from './upstream.ts';

/** Whatever this machine prefers: bbr would pace every burst, and cubic is not allowed in every namespace. */
const congestionControl = 'reno';

interface SiteOptions extends UpstreamOptions {
  /** that of the run, if left out */
  rttMs?: number;
}

export interface Stage {
  /** ms */
  readonly rttMs: number;
  /** counts from 0; seeds whatever is drawn by chance */
  readonly round: number;
  /** ours first; each round starts with the next one */
  readonly programs: readonly Program[];
  /** Two machines and a server on the far one, until `body` is done with them. */
  at<T>(options: SiteOptions, body: (site: Site) => Promise<T>): Promise<T>;
}

export function stageOf(rttMs: number, round: number, programs: readonly Program[]): Stage {
  return {
    rttMs,
    round,
    programs,
    async at(options, body) {
      const lab = new Lab();
      await lab.open();
      try {
        const delayMs = (options.rttMs ?? rttMs) / 2;
        const link = await Link.open(lab, { delayMs, seed: round + 1 });
        for (const machine of [link.client, link.far])
          await machine.sysctl('net.ipv4.tcp_congestion_control', congestionControl);
        const upstream = await Upstream.start(lab, link.far, options);
        return await body(new Site(lab, link, upstream));
      } finally {
        await lab.close();
      }
    },
  };
}
