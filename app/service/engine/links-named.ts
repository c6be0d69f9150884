/**
 * The links that a configuration names, in addresses such as [fe80::1%eth0]:53, with their numbers. The engine reads the numbers when
 * a configuration comes, so the same one has to come again where they are others. Pure.
 */

import type { KernelSnapshot } from '../network/kernel-network.ts';
import type { EngineConfig, EngineUpstream } from './boundary.ts';

/** By name; null: there is no such link. */
export function linksNamed(
  config: EngineConfig,
  interfaces: readonly Pick<KernelSnapshot['interfaces'][number], 'index' | 'name'>[],
): Map<string, number | null> {
  const { listen, networkResolvers, portal, bypass, upstreams, mode } = config;
  const addresses = [
    ...listen,
    ...networkResolvers,
    ...portal.resolvers,
    ...(mode === 'private' ? [] : mode.direct.servers),
    ...bypass.flatMap(({ to }) => to),
    ...upstreams.flatMap(addressesOf),
  ];
  const zones = addresses.flatMap((address) => /%([^\]]+)\]/.exec(address)?.[1] ?? []);
  const numberOf = (zone: string) => interfaces.find(({ name }) => name === zone)?.index ?? null;
  return new Map(zones.map((zone) => [zone, numberOf(zone)]));
}

function addressesOf({ addresses, proxy, encdns }: EngineUpstream): string[] {
  return [
    ...addresses,
    ...(proxy === null ? [] : [proxy]),
    ...(encdns === null ? [] : addressesOf(encdns.firstHop)),
  ];
}
