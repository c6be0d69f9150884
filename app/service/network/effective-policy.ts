/**
 * Which policy holds on a network. An attacker who forges a network's identity gets its remembered policy, so that policy may
 * only make things stricter, until an upstream of ours has authenticated there or the person has confirmed the network.
 */
import {
  type DowngradePolicy,
  downgradePolicies,
} from '../../contract/settings/downgrade-policies.ts';

export interface PolicyHere {
  policy: DowngradePolicy;
  /** who set it; "unconfirmed": the network's policy is looser, and waits */
  source: 'settings' | 'network' | 'unconfirmed';
}

export function effectivePolicy(from: {
  setting: DowngradePolicy;
  /** null: nothing is remembered of this network */
  remembered: DowngradePolicy | null;
  /** an upstream has authenticated, or the person has confirmed, since we came here */
  confirmed: boolean;
}): PolicyHere {
  const { setting, remembered, confirmed } = from;
  if (remembered === null || remembered === setting)
    return { policy: setting, source: remembered === null ? 'settings' : 'network' };
  if (strictest([setting, remembered]) === remembered || confirmed)
    return { policy: remembered, source: 'network' };
  return { policy: setting, source: 'unconfirmed' };
}

export function strictest(policies: readonly DowngradePolicy[]): DowngradePolicy | null {
  return downgradePolicies.find((policy) => policies.includes(policy)) ?? null;
}
