/** Without Sotto, each change that an attack makes reaches the system's DNS; otherwise a trial would show nothing. */
import { expect, it } from 'vitest';
import { whyNoNetworkd } from '../../../networks/networkd.ts';
import { resolvectl } from '../../../networks/resolved.ts';
import { describeInNetworks } from '../../../rig/available.ts';
import { eventually } from '../../../rig/eventually.ts';
import { labForTest } from '../../../rig/lab.ts';
import { type Computer, type ComputerName, openComputer } from '../computers.ts';
import type { Attack } from './attack.ts';
import { attackNames, attacks } from './attacks.ts';

const needs = ['systemd-resolved', 'isc-dhcp-client', 'busctl', 'NetworkManager', 'socat'] as const;

/** NetworkManager drops what comes too soon, so it is sent again. */
const heardWithinMs = 1500;

describeInNetworks(needs, 'a word of the network', () => {
  const unseen = attackNames.filter((name) => (attacks[name] as Attack).unseen === true);
  const computers = Map.groupBy(unseen, (name) => attacks[name].on);
  it.for([...computers])('reaches %s', { timeout: 60_000 }, async ([on, names], context) => {
    const reason = on === 'networkd' ? whyNoNetworkd() : null;
    if (reason !== null) context.skip(reason);
    const computer = await openComputer(await labForTest(), on);
    for (const name of names) {
      const attack: Attack = attacks[name];
      for (const time of [1, 2]) {
        const before = await said(computer, on);
        const changed = async () => (await said(computer, on)) !== before;
        await eventually(`${name} ${time}`, async () => {
          await attack.overwrite(computer, time);
          return await eventually('it is heard', changed, heardWithinMs);
        });
        expect(await said(computer, on)).toMatch(/[dr]\d+\.example/);
      }
      await attack.undo?.(computer);
    }
  });
});

/** The resolvers that the system uses, and its search domains. */
async function said({ networkStage: { client } }: Computer, on: ComputerName): Promise<string> {
  if (on === 'dhclient' || on === 'network-manager') return await client.read('/etc/resolv.conf');
  const dns = await client.succeed(resolvectl, 'dns', 'eth0');
  return dns + (await client.succeed(resolvectl, 'domain', 'eth0'));
}
