/** What a person must know of the resolvers that upstreams are: an operator ends its service. Pure. */

import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { knownResolver, type Resolver } from '../settings/resolver-catalogue.ts';

/** Code to subject to detail. */
export function catalogueHealth(
  upstreams: readonly UpstreamSetting[],
  catalogue: readonly Resolver[],
): Map<'upstream-retired', Map<string, Said[]>> {
  const details = upstreams.flatMap((upstream): [string, Said[]][] => {
    const { label = '', retired = null } = knownResolver(upstream, catalogue) ?? {};
    if (retired === null) return [];
    return [[upstream.id, [say('resolver-ends', { label, ...retired })]]];
  });
  return new Map([['upstream-retired', new Map(details)]]);
}
