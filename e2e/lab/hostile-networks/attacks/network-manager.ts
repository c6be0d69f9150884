/** NetworkManager manages the link, and writes /etc/resolv.conf or, as most desktops have it, tells systemd-resolved. */
import { gateway } from '../../../networks/local-network.ts';
import { resolvectl } from '../../../networks/resolved.ts';
import type { Computer } from '../computers.ts';
import { type Attack, advertiseAnew, leaseAnew, namesPerAdvertisement } from './attack.ts';

export const managerAttacks = {
  'modify-connection': {
    on: 'network-manager',
    words: 'NetworkManager is told another resolver for the device',
    overwrite: modify,
  },
  reconnect: {
    on: 'network-manager',
    words: 'NetworkManager connects anew, and asks DHCP again',
    overwrite: connect,
  },
  'manager-lease': {
    on: 'network-manager',
    words: 'NetworkManager renews its lease each second, and hears another domain name each time',
    unseen: true,
    overwrite: leaseAnew,
  },
  'manager-router': {
    on: 'network-manager',
    words: 'a router tells NetworkManager its resolver and another domain each time',
    unseen: true,
    namesEach: namesPerAdvertisement,
    overwrite: advertiseAnew,
  },
  'desktop-modify': {
    on: 'network-manager-resolved',
    words: 'NetworkManager is told another resolver for the device, and tells resolved',
    overwrite: modify,
  },
  'desktop-reconnect': {
    on: 'network-manager-resolved',
    words: 'NetworkManager connects anew, asks DHCP again, and tells resolved',
    overwrite: connect,
  },
  'desktop-profile': {
    on: 'network-manager-resolved',
    words: 'a stored connection has its own resolver and domain, and NetworkManager connects it',
    async overwrite(computer, time) {
      await store(computer, gateway.v4, `d${time}.example`);
      await connect(computer);
    },
    undo: (computer) => store(computer, '', ''),
  },
  'desktop-lease': {
    on: 'network-manager-resolved',
    words: 'NetworkManager renews its lease so, and tells resolved',
    unseen: true,
    overwrite: leaseAnew,
  },
  'desktop-router': {
    on: 'network-manager-resolved',
    words: 'a router tells NetworkManager its resolver and domain, which tells resolved',
    unseen: true,
    namesEach: namesPerAdvertisement,
    overwrite: advertiseAnew,
  },
  'desktop-tell': {
    on: 'network-manager-resolved',
    words: 'a program tells systemd-resolved the resolver of a link that NetworkManager manages',
    async overwrite({ networkStage: { client } }) {
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    },
  },
} as const satisfies Record<string, Attack>;

async function modify({ networkStage: { client } }: Computer, time: number): Promise<void> {
  const words = ['device', 'modify', 'eth0', 'ipv4.dns', gateway.v4];
  await client.succeed('nmcli', ...words, 'ipv4.dns-search', `d${time}.example`);
}

async function connect({ networkStage: { client } }: Computer): Promise<void> {
  await client.succeed('nmcli', 'connection', 'up', 'wired');
}

async function store({ networkStage }: Computer, resolver: string, domain: string): Promise<void> {
  const words = ['connection', 'modify', 'wired', 'ipv4.dns', resolver];
  await networkStage.client.succeed('nmcli', ...words, 'ipv4.dns-search', domain);
}
