/** dhclient's hook on a machine, with sotto-helper where the package installs it, and calls of dhclient's script by hand. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { helper, inRoot } from '../../build/places.mjs';
import type { Finished } from '../rig/process.ts';
import { treeOf } from '../rig/unpacked.ts';
import type { Machine } from './machine.ts';

export const hookFolder = '/etc/dhcp/dhclient-enter-hooks.d';
const hook = readFileSync(inRoot('build', 'system', 'dhclient-enter-hook'), 'utf8');
export const installedHelper = '/usr/lib/sotto/bin/sotto-helper';

/** From then on the machine has a /usr/lib of its own. */
export async function installHook(machine: Machine): Promise<void> {
  await machine.shell(
    `mkdir /run/lib /run/lib-work
     mount -t overlay overlay -o lowerdir=/usr/lib,upperdir=/run/lib,workdir=/run/lib-work /usr/lib
     mkdir -p "$(dirname "$1")"; ln -s "$2" "$1"`,
    installedHelper,
    helper,
  );
  await machine.write(`${hookFolder}/sotto`, hook);
}

/** Calls the script as dhclient does at a renewal; `said`: what DHCP sent, by the names of dhclient-script(8). */
export async function sayByDhcp(
  machine: Machine,
  said: Record<string, string>,
  reason = 'RENEW',
): Promise<Finished> {
  const address = '192.168.77.100';
  const words = { ...said, old_ip_address: address, new_ip_address: address };
  const pairs = Object.entries({ reason, interface: 'eth0', ...words });
  return await machine.run('env', [
    ...['-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin'],
    ...pairs.map(([name, value]) => `${name}=${value}`),
    join(treeOf('isc-dhcp-client'), 'sbin/dhclient-script'),
  ]);
}
