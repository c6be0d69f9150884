/** Computers whose programs resolve names by one mechanism or another; Sotto has to find out which. */
import { gateway } from '../../networks/local-network.ts';
import { NetworkManager } from '../../networks/network-manager.ts';
import { NetworkStage } from '../../networks/network-stage.ts';
import { addRecord, installResolvconf } from '../../networks/resolvconf.ts';
import { Resolved, resolvectl } from '../../networks/resolved.ts';
import { eventually } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';
import type { MechanismName } from './plan.ts';

export async function openNetworkStage(lab: Lab, mechanism: MechanismName): Promise<NetworkStage> {
  if (mechanism === 'network-manager') return await managedStage(lab);
  const stage = await NetworkStage.open(lab);
  const { client } = stage;
  if (mechanism === 'resolved') {
    await client.startBus();
    await Resolved.start(lab, client);
    await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
  }
  if (mechanism === 'resolvconf') {
    await installResolvconf(client, 'resolvconf');
    await addRecord(client, 'eth0', `nameserver ${gateway.v4}`);
  }
  return stage;
}

async function managedStage(lab: Lab): Promise<NetworkStage> {
  const stage = await NetworkStage.open(lab, { addresses: 'none' });
  await stage.client.startBus();
  await NetworkManager.start(lab, stage.client, { dns: 'default' });
  await eventually('a server', async () =>
    (await stage.client.read('/etc/resolv.conf')).includes(gateway.v4),
  );
  return stage;
}
