/** Programs that write /etc/resolv.conf. */
import { join } from 'node:path';
import { gateway, station } from '../../../networks/local-network.ts';
import { treeOf } from '../../../rig/unpacked.ts';
import { type Attack, leaseAnew } from './attack.ts';

const file = '/etc/resolv.conf';
const next = `${file}.new`;

/** What dhclient runs at each renewal, with these words in its environment. */
const dhclientScript = join(treeOf('isc-dhcp-client'), 'sbin/dhclient-script');

export const fileAttacks = {
  'dhclient-script': {
    on: 'file',
    words: 'dhclient’s script is told of a lease whose domain name is another each time',
    async overwrite({ networkStage: { client } }, time) {
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
    on: 'file',
    words: 'a program writes the file anew',
    overwrite: ({ networkStage: { client } }, time) =>
      client.write(file, `nameserver ${gateway.v4}\n# written ${time}\n`),
  },
  rename: {
    on: 'file',
    words: 'a program renames another file into its place',
    async overwrite({ networkStage: { client } }, time) {
      await client.write(next, `nameserver ${gateway.v4}\n# renamed ${time}\n`);
      await client.succeed('mv', '-f', next, file);
    },
  },
  link: {
    on: 'file',
    words: 'a program puts a symbolic link in its place',
    async overwrite({ networkStage: { client } }, time) {
      await client.write(`/run/other-${time}.conf`, `nameserver ${gateway.v4}\n`);
      await client.succeed('ln', '-sf', `/run/other-${time}.conf`, file);
    },
  },
  append: {
    on: 'file',
    words: 'a program adds a resolver below ours',
    async overwrite({ networkStage: { client } }) {
      await client.shell(`echo "nameserver ${gateway.v4}" >> ${file}`);
    },
  },
  'vpn-client': {
    on: 'file',
    words: 'a VPN client puts its resolver above all others',
    async overwrite({ networkStage: { client } }) {
      const before = await client.read(file);
      await client.write(file, `search intranet.example\nnameserver ${gateway.v4}\n${before}`);
    },
  },
  dhclient: {
    on: 'dhclient',
    words: 'dhclient renews its lease each second, and hears another domain name each time',
    unseen: true,
    overwrite: leaseAnew,
  },
} as const satisfies Record<string, Attack>;
