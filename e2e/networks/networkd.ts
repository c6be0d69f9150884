/** The real systemd-networkd on a machine, in charge of its eth0. */
import { existsSync } from 'node:fs';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';

const daemon = '/lib/systemd/systemd-networkd';
export const networkdFile = '/etc/systemd/network/10-eth0.network';

/** null: it is installed */
export function whyNoNetworkd(): string | null {
  return existsSync(daemon) ? null : 'no systemd-networkd: apt-get install systemd';
}

/** Where systemd-resolved runs, start networkd after it. `lines`: of its file, after the section [Match]. */
export async function startNetworkd(
  lab: Lab,
  machine: Machine,
  lines: readonly string[],
): Promise<Program> {
  await machine.write(networkdFile, ['[Match]', 'Name=eth0', ...lines, ''].join('\n'));
  await machine.shell('mkdir -p /run/systemd/netif/links /run/systemd/netif/leases');
  await machine.shell('chown -R systemd-network: /run/systemd/netif || :');
  return lab.adopt(await machine.start(daemon, []));
}
