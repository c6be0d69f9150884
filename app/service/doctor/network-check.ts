/** Whether the service notices on which network it is. Pure. */
import type { NetworkResult } from '../../contract/network.ts';
import { type Finding, ok, warn } from './finding.ts';

export function judgeNetwork({ networks, unavailable }: NetworkResult<'list'>): Finding {
  if (unavailable !== null)
    return warn(
      'network',
      `The network is not watched: ${unavailable}. All networks are taken for one, and a change is noticed late.`,
      'choose "downgrade" in the settings so that it is right for every network you use',
    );
  const here = networks.find(({ current }) => current);
  if (here === undefined)
    return warn(
      'network',
      'The network is watched, and this machine is on none.',
      'connect it; an upstream on this machine itself needs no network',
    );
  const policy = here.policy === null ? '' : `, for which you set "${here.policy}"`;
  return ok('network', `The network is watched; this is ${here.name ?? here.label}${policy}.`);
}
