/** Programs that add records with resolvconf. */
import { gateway } from '../../../networks/local-network.ts';
import type { Machine } from '../../../networks/machine.ts';
import { addRecord } from '../../../networks/resolvconf.ts';
import type { Computer } from '../computers.ts';
import type { Attack } from './attack.ts';

/** Debian's orders records by their names, and knows these of DHCP clients and VPN clients. */
const leaseRecord = 'eth0.dhclient';
const tunnelRecord = 'tun0.openvpn';

export const resolvconfAttacks = {
  'resolvconf-lease': {
    on: 'resolvconf',
    words: 'a DHCP client adds its record with resolvconf',
    besides: true,
    overwrite: ({ networkStage }, time) => tell(networkStage.client, leaseRecord, time),
    undo: forget,
  },
  'resolvconf-tunnel': {
    on: 'resolvconf',
    words: 'a VPN client adds its record with resolvconf',
    besides: true,
    overwrite: ({ networkStage }, time) => tell(networkStage.client, tunnelRecord, time),
    undo: forget,
  },
  'openresolv-lease': {
    on: 'openresolv',
    words: 'a DHCP client adds its record with openresolv',
    besides: true,
    overwrite: ({ networkStage }, time) => tell(networkStage.client, leaseRecord, time),
    undo: forget,
  },
  'openresolv-tunnel': {
    on: 'openresolv',
    words: 'a VPN client adds an exclusive record with openresolv, as wg-quick does',
    async overwrite({ networkStage: { client } }, time) {
      const add = 'printf "nameserver %s\\nsearch d%s.example\\n" "$2" "$3"';
      const tell = `${add} | /usr/sbin/resolvconf -a "$1" -m 0 -x || :`;
      await client.shell(tell, tunnelRecord, gateway.v4, `${time}`);
    },
    undo: forget,
  },
} as const satisfies Record<string, Attack>;

async function tell(client: Machine, record: string, time: number): Promise<void> {
  await addRecord(client, record, `nameserver ${gateway.v4}\nsearch d${time}.example`);
}

async function forget({ networkStage: { client } }: Computer): Promise<void> {
  for (const record of [leaseRecord, tunnelRecord])
    await client.shell('/usr/sbin/resolvconf -d "$1" || :', record);
}
