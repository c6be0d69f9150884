/** Whether the service notices on which network it is. Pure. */

import { say } from '../../contract/sentences/sentence.ts';
import type { NetworkResult } from '../../contract/system/network.ts';
import { type Finding, ok, warn } from './finding.ts';

export function judgeNetwork({ networks, unavailable }: NetworkResult<'list'>): Finding {
  if (unavailable !== null)
    return warn(
      'network',
      say('network-unwatched', { reason: unavailable }),
      say('choose-policy-for-all'),
    );
  const here = networks.find(({ current }) => current);
  if (here === undefined) return warn('network', say('network-none'), say('connect-machine'));
  const network = here.name ?? here.label;
  const { policy } = here;
  return policy === null
    ? ok('network', say('network-watched', { network }))
    : ok('network', say('network-watched-policy', { network, policy }));
}
