/** Addresses that the network's own resolvers give for a name, of the families that this machine has here. */
import { isIP } from 'node:net';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { canonicalIp } from '../network/ip-address.ts';
import type { Place } from './place.ts';

export async function resolveAtNetwork(
  engine: Pick<EngineDriver, 'askNetwork'>,
  { local }: Pick<Place, 'local'>,
  name: string,
  purpose: 'probe' | 'login',
): Promise<string[]> {
  const types = [...(local[4] === null ? [] : ['A']), ...(local[6] === null ? [] : ['AAAA'])];
  const replies = await Promise.all(types.map((type) => engine.askNetwork(name, type, purpose)));
  const records = replies.flatMap((reply) => (reply.ok ? reply.value.answer : []));
  const addresses = records.filter(({ type }) => type === 'A' || type === 'AAAA');
  return addresses.flatMap(({ data }) => (isIP(data) === 0 ? [] : [canonicalIp(data)]));
}
