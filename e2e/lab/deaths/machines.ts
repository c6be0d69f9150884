/** A computer whose programs ask by one mechanism or the other; which of them it is, Sotto is to find out itself. */
import { gateway } from '../../networks/local-network.ts';
import type { Machine } from '../../networks/machine.ts';
import { NetworkManager } from '../../networks/network-manager.ts';
import { Resolved, resolvectl } from '../../networks/resolved.ts';
import { treeOf } from '../../networks/unpacked.ts';
import { World } from '../../networks/world.ts';
import { eventually } from '../../system/eventually.ts';
import type { Lab } from '../../system/lab.ts';
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
  if (mechanism === 'resolvconf') await installResolvconf(client);
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

/** Debian's, put where it belongs, which nobody else sees; a hook of another package may fail. */
async function installResolvconf(machine: Machine): Promise<void> {
  await machine.shell(
    `mkdir -p /run/over /run/work
     mount -t overlay overlay -o lowerdir=/usr,upperdir=/run/over,workdir=/run/work /usr
     cp -a "$1"/etc/. /etc; cp "$1"/sbin/resolvconf /usr/sbin
     mkdir -p /lib/resolvconf; cp -a "$1"/lib/resolvconf/. /lib/resolvconf
     mkdir -p /run/resolvconf/interface; touch /run/resolvconf/enable-updates
     ln -sfn /run/resolvconf /etc/resolvconf/run
     ln -sf ../run/resolvconf/resolv.conf /etc/resolv.conf
     printf 'nameserver %s\\n' "$2" | /usr/sbin/resolvconf -a eth0 || :`,
    treeOf('resolvconf'),
    gateway.v4,
  );
}
