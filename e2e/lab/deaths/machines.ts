/** A computer whose programs ask by one mechanism or the other; which of them it is, Sotto is to find out itself. */
import { gateway } from '../../networks/local-network.ts';
import { NetworkManager } from '../../networks/network-manager.ts';
import { addRecord, installResolvconf } from '../../networks/resolvconf.ts';
import { Resolved, resolvectl } from '../../networks/resolved.ts';
import { World } from '../../networks/world.ts';
import { eventually } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';
import type { MechanismName } from './plan.ts';

export async function openWorld(lab: Lab, mechanism: MechanismName): Promise<World> {
  if (mechanism === 'network-manager') return await managedWorld(lab);
  const world = await World.open(lab);
  const { client } = world;
  if (mechanism === 'resolved') {
    await client.startBus();
    await Resolved.start(lab, client);
    await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
  }
  if (mechanism === 'resolvconf') {
    await installResolvconf(client, 'resolvconf');
    await addRecord(client, 'eth0', `nameserver ${gateway.v4}`);
  }
  return world;
}

async function managedWorld(lab: Lab): Promise<World> {
  const world = await World.open(lab, { addresses: 'none' });
  await world.client.startBus();
  await NetworkManager.start(lab, world.client, { dns: 'default' });
  await eventually('a server', async () =>
    (await world.client.read('/etc/resolv.conf')).includes(gateway.v4),
  );
  return world;
}
