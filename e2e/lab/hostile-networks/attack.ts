/** Who fights for the system's DNS in a trial, and how: once each time it is called. */
import { join } from 'node:path';
import { gateway, station } from '../../networks/local-network.ts';
import { resolvectl } from '../../networks/resolved.ts';
import { treeOf } from '../../networks/unpacked.ts';
import type { World } from '../../networks/world.ts';

export type Mechanism = 'file' | 'resolved' | 'network-manager';

export interface Attack {
  mechanism: Mechanism;
  /** what stands in the report */
  words: string;
  overwrite(world: World, time: number): Promise<void>;
}

const file = '/etc/resolv.conf';
const next = `${file}.new`;

/** What dhclient runs at each renewal, with these words in its environment. */
const dhclientScript = join(treeOf('isc-dhcp-client'), 'sbin/dhclient-script');

export const attacks = {
  'dhcp-client': {
    mechanism: 'file',
    words: 'dhclient renews a lease whose domain name is another each time',
    async overwrite({ client }, time) {
      const address = `ip_address=${station.v4}`;
      await client.succeed(
        ...['env', 'reason=RENEW', 'interface=eth0', `old_${address}`, `new_${address}`],
        ...['new_subnet_mask=255.255.255.0', `new_routers=${gateway.v4}`],
        ...[`old_domain_name=d${time - 1}.example`, `new_domain_name=d${time}.example`],
        ...[`new_domain_name_servers=${gateway.v4}`, dhclientScript],
      );
    },
  },
  script: {
    mechanism: 'file',
    words: 'a program writes the file anew',
    overwrite: ({ client }, time) =>
      client.write(file, `nameserver ${gateway.v4}\n# written ${time}\n`),
  },
  rename: {
    mechanism: 'file',
    words: 'a program renames another file into its place',
    async overwrite({ client }, time) {
      await client.write(next, `nameserver ${gateway.v4}\n# renamed ${time}\n`);
      await client.succeed('mv', '-f', next, file);
    },
  },
  link: {
    mechanism: 'file',
    words: 'a program puts a symbolic link in its place',
    async overwrite({ client }, time) {
      await client.write(`/run/other-${time}.conf`, `nameserver ${gateway.v4}\n`);
      await client.succeed('ln', '-sf', `/run/other-${time}.conf`, file);
    },
  },
  append: {
    mechanism: 'file',
    words: 'a program adds a resolver below ours',
    async overwrite({ client }) {
      await client.shell(`echo "nameserver ${gateway.v4}" >> ${file}`);
    },
  },
  'vpn-client': {
    mechanism: 'file',
    words: 'a VPN client puts its resolver above all others',
    async overwrite({ client }) {
      const before = await client.read(file);
      await client.write(file, `search intranet.example\nnameserver ${gateway.v4}\n${before}`);
    },
  },
  'tell-resolved': {
    mechanism: 'resolved',
    words: 'a program tells systemd-resolved the resolver of the link',
    async overwrite({ client }) {
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    },
  },
  'revert-resolved': {
    mechanism: 'resolved',
    words: 'a program reverts the link, and tells its resolver again',
    async overwrite({ client }) {
      await client.succeed(resolvectl, 'revert', 'eth0');
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    },
  },
  'second-link': {
    mechanism: 'resolved',
    words: 'a VPN client brings a link of its own that wants every name',
    async overwrite({ client }, time) {
      const name = `tun${time}`;
      await client.ip('tuntap', 'add', 'dev', name, 'mode', 'tun');
      await client.ip('link', 'set', name, 'up');
      await client.ip('addr', 'add', `10.77.${time}.2/24`, 'dev', name);
      await client.succeed(resolvectl, 'dns', name, gateway.v4);
      await client.succeed(resolvectl, 'domain', name, '~.');
    },
  },
  'modify-connection': {
    mechanism: 'network-manager',
    words: 'NetworkManager is told another resolver for the device',
    async overwrite({ client }, time) {
      const words = ['device', 'modify', 'eth0', 'ipv4.dns', gateway.v4];
      await client.succeed('nmcli', ...words, 'ipv4.dns-search', `d${time}.example`);
    },
  },
  reconnect: {
    mechanism: 'network-manager',
    words: 'NetworkManager connects anew, and asks DHCP again',
    async overwrite({ client }) {
      await client.succeed('nmcli', 'connection', 'up', 'wired');
    },
  },
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof attacks;
