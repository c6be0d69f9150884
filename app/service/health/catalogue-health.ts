/** What a person must know of the resolvers that upstreams are: an operator ends its service, or has ended it. Pure. */

import { type Said, say } from '../../contract/sentences/sentence.ts';
import { hasEnded } from '../../contract/settings/has-ended.ts';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { knownResolver, type Resolver } from '../settings/resolver-catalogue.ts';

type Code = 'upstream-retired' | 'upstream-ended';

/** Code to subject to detail. */
export function catalogueHealth(
  upstreams: readonly UpstreamSetting[],
  catalogue: readonly Resolver[],
  now: number,
): Map<Code, Map<string, Said[]>> {
  const told = new Map<Code, Map<string, Said[]>>([
    ['upstream-retired', new Map()],
    ['upstream-ended', new Map()],
  ]);
  for (const upstream of upstreams) {
    const { label = '', retired = null } = knownResolver(upstream, catalogue) ?? {};
    if (retired === null) continue;
    const code = hasEnded(retired.on, now) ? 'upstream-ended' : 'upstream-retired';
    told.get(code)?.set(upstream.id, [say('resolver-ends', { label, ...retired })]);
  }
  return told;
}
