/** When the gate was closed on a machine, as its kernel reports (nft(8), "monitor"). */

import type { Machine } from '../../networks/machine.ts';
import { locate } from '../../rig/available.ts';
import type { Program } from '../../rig/process.ts';

const timed =
  'echo listening; "$0" monitor new chains | while read -r line; do echo "$(date +%s%3N) $line"; done';

export class ClosingTimes {
  readonly #monitor: Program;

  static async start(machine: Machine): Promise<ClosingTimes> {
    const monitor = await machine.start('/bin/sh', ['-c', timed, locate('nft')]);
    await monitor.ready(async () => monitor.stdout.startsWith('listening'));
    return new ClosingTimes(monitor);
  }

  private constructor(monitor: Program) {
    this.#monitor = monitor;
  }

  /** Closings from then on, in unix milliseconds, the earliest first; each is reported a little later than it happened. */
  since(moment: number): number[] {
    const told = this.#monitor.stdout.matchAll(/^(\d+) add chain inet sotto output\b/gm);
    return [...told].map(([, at]) => Number(at)).filter((at) => at >= moment);
  }
}
