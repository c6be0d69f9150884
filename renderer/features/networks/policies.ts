/** Compares a network's policy with that of the settings. Pure. */
import {
  type DowngradePolicy,
  downgradePolicies,
} from '../../../app/contract/settings/downgrade-policies.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { NetworkDetails } from '../../../app/contract/system/network.ts';

/** The setting "downgrade", as it holds on networks without a policy. */
export interface GeneralPolicy {
  policy: DowngradePolicy;
  locked: boolean;
  lockedBy: string | null;
  /** the words of whoever locked it */
  reason: string | null;
}

export function generalPolicy(settings: readonly EffectiveSetting[]): GeneralPolicy | null {
  const setting = settings.find(({ key }) => key === 'downgrade');
  const policy = downgradePolicies.find((word) => word === setting?.value);
  if (setting === undefined || policy === undefined) return null;
  const { locked, lockedBy, reason } = setting;
  return { policy, locked, lockedBy, reason };
}

export function isLooser(policy: DowngradePolicy, than: DowngradePolicy): boolean {
  return downgradePolicies.indexOf(policy) > downgradePolicies.indexOf(than);
}

/** Remembered, and not in force: an attacker who forges a network's hints must not get what was allowed on it. */
export function waits(
  { network: { policy }, confirmed }: NetworkDetails,
  general: GeneralPolicy,
): boolean {
  return policy !== null && !confirmed && !general.locked && isLooser(policy, general.policy);
}
