/** Programs that tell systemd-resolved, on a computer whose links nobody manages. */
import { gateway } from '../../../networks/local-network.ts';
import { resolvectl } from '../../../networks/resolved.ts';
import type { Attack } from './attack.ts';

export const resolvedAttacks = {
  'tell-resolved': {
    on: 'resolved',
    words: 'a program tells systemd-resolved the resolver of the link',
    async overwrite({ networkStage: { client } }) {
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    },
  },
  'revert-resolved': {
    on: 'resolved',
    words: 'a program reverts the link, and tells its resolver again',
    async overwrite({ networkStage: { client } }) {
      await client.succeed(resolvectl, 'revert', 'eth0');
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    },
  },
  'second-link': {
    on: 'resolved',
    words: 'a VPN client brings a link of its own that wants every name',
    besides: true,
    async overwrite({ networkStage: { client } }, time) {
      const name = `tun${time}`;
      await client.ip('tuntap', 'add', 'dev', name, 'mode', 'tun');
      await client.ip('link', 'set', name, 'up');
      await client.ip('addr', 'add', `10.77.${time}.2/24`, 'dev', name);
      await client.succeed(resolvectl, 'dns', name, gateway.v4);
      await client.succeed(resolvectl, 'domain', name, '~.');
    },
    async undo({ networkStage: { client } }) {
      await client.shell(
        'for each in $(ls /sys/class/net | grep "^tun"); do ip link del "$each"; done',
      );
    },
  },
} as const satisfies Record<string, Attack>;
