/** systemd-networkd owns the link, listens to DHCP and routers, and tells systemd-resolved. */
import { gateway } from '../../../networks/local-network.ts';
import { networkdFile } from '../../../networks/networkd.ts';
import { resolvectl } from '../../../networks/resolved.ts';
import { type Attack, advertiseAnew, leaseAnew, namesPerAdvertisement } from './attack.ts';

const added = `${networkdFile}.d/50-other.conf`;

export const networkdAttacks = {
  'networkd-lease': {
    on: 'networkd',
    words: 'networkd renews its lease each second, and hears another domain name each time',
    besides: true,
    unseen: true,
    overwrite: leaseAnew,
  },
  'networkd-router': {
    on: 'networkd',
    words: 'a router tells networkd its resolver and another domain each time',
    besides: true,
    unseen: true,
    namesEach: namesPerAdvertisement,
    overwrite: advertiseAnew,
  },
  'networkd-reconfigure': {
    on: 'networkd',
    words: 'networkd is told to configure the link anew, and asks DHCP again',
    unseen: true,
    async overwrite(computer) {
      await computer.networkStage.client.succeed('networkctl', 'reconfigure', 'eth0');
      await leaseAnew(computer);
    },
  },
  'networkd-reload': {
    on: 'networkd',
    words: 'a program writes another resolver into networkd’s files, and has them read',
    besides: true,
    unseen: true,
    async overwrite({ networkStage: { client } }, time) {
      await client.write(added, `[Network]\nDNS=${gateway.v4}\nDomains=d${time}.example\n`);
      await client.succeed('networkctl', 'reload');
    },
    async undo({ networkStage: { client } }) {
      await client.shell('rm -f "$1"', added);
      await client.succeed('networkctl', 'reload');
    },
  },
  'tell-networkd': {
    on: 'networkd',
    words: 'a program tells networkd the resolver of the link',
    async overwrite({ networkStage: { client } }) {
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    },
  },
  'revert-networkd': {
    on: 'networkd',
    words: 'a program reverts the link, so that what DHCP said holds again',
    async overwrite({ networkStage: { client } }) {
      await client.succeed(resolvectl, 'revert', 'eth0');
    },
  },
} as const satisfies Record<string, Attack>;
