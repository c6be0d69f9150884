/** How to find connections of programs to the resolvers of the catalogue; undefined where this system does not tell them. */
import { parseSocketAddress } from '../../../contract/dns/socket-address.ts';
import type { EngineAddon } from '../../engine/engine-addon.ts';
import type { Resolver } from '../../settings/resolver-catalogue.ts';
import type { CountingParts } from './counting.ts';

export function connectionsToResolvers(
  { resolverConnections }: EngineAddon,
  catalogue: readonly Pick<Resolver, 'addresses'>[],
): CountingParts['connections'] {
  if (resolverConnections === undefined) return undefined;
  const known = catalogue
    .flatMap(({ addresses }) => addresses)
    .map((address) => parseSocketAddress(address)?.ip ?? address);
  return () => resolverConnections(known);
}
