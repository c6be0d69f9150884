/** The computers of the trials: on each of them another program decides which resolvers programs use. */

import { Dhclient } from '../../networks/dhclient.ts';
import { DhcpServer } from '../../networks/dhcp-server.ts';
import { gateway } from '../../networks/local-network.ts';
import { NetworkManager } from '../../networks/network-manager.ts';
import { NetworkStage } from '../../networks/network-stage.ts';
import { startNetworkd } from '../../networks/networkd.ts';
import { addRecord, installResolvconf } from '../../networks/resolvconf.ts';
import { Resolved, resolvectl } from '../../networks/resolved.ts';
import { eventually } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';

export interface Computer {
  networkStage: NetworkStage;
  /** null: its addresses are fixed, and no DHCP client runs */
  leases: DhcpServer | null;
}

const opened = {
  file: async (lab: Lab) => await standing(lab),

  dhclient: async (lab: Lab) => {
    // It writes the file at each renewal, whatever it receives, so between trials it must receive nothing.
    const computer = await leased(lab, 'news');
    await Dhclient.start(lab, computer.networkStage.client);
    return computer;
  },

  resolvconf: async (lab: Lab) => await withRecords(lab, 'resolvconf'),

  openresolv: async (lab: Lab) => await withRecords(lab, 'openresolv'),

  resolved: async (lab: Lab) => {
    const computer = await standing(lab);
    const { client } = computer.networkStage;
    await client.startBus();
    await Resolved.start(lab, client);
    await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    return computer;
  },

  networkd: async (lab: Lab) => {
    const computer = await leased(lab);
    const { client } = computer.networkStage;
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    await startNetworkd(lab, client, [
      ...['[Network]', 'DHCP=ipv4', 'IPv6AcceptRA=yes'],
      ...['[DHCPv4]', 'UseDomains=yes'],
      ...['[IPv6AcceptRA]', 'UseDomains=yes', 'DHCPv6Client=no'],
    ]);
    await hasResolver(resolved);
    return computer;
  },

  'network-manager': async (lab: Lab) => {
    const computer = await leased(lab);
    const { client } = computer.networkStage;
    await client.startBus();
    await NetworkManager.start(lab, client, { dns: 'default' });
    await eventually('a resolver', async () =>
      (await client.read('/etc/resolv.conf')).includes(gateway.v4),
    );
    return computer;
  },

  'network-manager-resolved': async (lab: Lab) => {
    const computer = await leased(lab);
    const { client } = computer.networkStage;
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    await NetworkManager.start(lab, client, { dns: 'systemd-resolved' });
    await hasResolver(resolved);
    return computer;
  },
} as const satisfies Record<string, (lab: Lab) => Promise<Computer>>;

export type ComputerName = keyof typeof opened;

export async function openComputer(lab: Lab, name: ComputerName): Promise<Computer> {
  return await opened[name](lab);
}

async function standing(lab: Lab): Promise<Computer> {
  return { networkStage: await NetworkStage.open(lab), leases: null };
}

async function leased(lab: Lab, answers: 'always' | 'news' = 'always'): Promise<Computer> {
  const networkStage = await NetworkStage.open(lab, { addresses: 'none', leases: false });
  return { networkStage, leases: await DhcpServer.start(lab, networkStage.network, answers) };
}

async function withRecords(lab: Lab, name: 'resolvconf' | 'openresolv'): Promise<Computer> {
  const computer = await standing(lab);
  const { client } = computer.networkStage;
  await installResolvconf(client, name);
  await addRecord(client, 'eth0', `nameserver ${gateway.v4}`);
  return computer;
}

async function hasResolver(resolved: Resolved): Promise<void> {
  await eventually(
    'a resolver',
    async () => (await resolved.link('eth0')).dns.includes(gateway.v4),
    20_000,
  );
}
