/** Another network with another address and gateway, and nothing behind it. */
import type { Lab } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import type { Machine } from './machine.ts';

export const cafeGateway = '192.168.88.1';

/** Takes the machine's plug out of where it was. */
export async function goToCafe(lab: Lab, client: Machine): Promise<void> {
  const cafe = await Namespace.create(lab, 'cafe');
  await client.ip('link', 'delete', 'eth0');
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', client.namespace.name];
  await cafe.ip('link', 'add', 'lan', ...peer);
  await cafe.ip('addr', 'add', `${cafeGateway}/24`, 'dev', 'lan');
  await cafe.ip('link', 'set', 'lan', 'up');
  await client.ip('addr', 'add', '192.168.88.7/24', 'dev', 'eth0');
  await client.ip('link', 'set', 'eth0', 'up');
  await client.ip('route', 'replace', 'default', 'via', cafeGateway, 'dev', 'eth0');
}
