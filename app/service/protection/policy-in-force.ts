/** Which policy holds for each group of upstreams here and now, and who set it. Pure. */
import { type Rung, rungNames, type Strategy } from '../../contract/engine-words.ts';
import type { Consent, DowngradePolicy } from '../../contract/settings/downgrade-policy.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import { strictest } from '../network/effective-policy.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { SettingSource } from '../settings/settings-layers.ts';

export interface GroupRules {
  /** empty: the default group */
  id: string;
  names: string[];
  policy: DowngradePolicy;
  /** who set the policy, in a few words */
  why: string;
  /** in the order of descent */
  rungs: Rung[];
  strategy: Strategy;
  consent: Consent;
}

/** Where we are, as far as anyone can know it. */
export interface NetworkHere {
  /** the id under which connections are kept apart; the same during one stay */
  id: string;
  label: string;
  /** one of our upstreams has proved its identity, or a person has confirmed the network, since we came here */
  authenticated: boolean;
}

/** What is remembered of the network we are on, applied to what the settings say. */
export type NetworkRule = Pick<CurrentNetwork, 'label' | 'policyHere'>;

/** The default group first. */
export function rulesInForce(effective: EffectiveSettings, network: NetworkRule): GroupRules[] {
  const { settings, sources } = effective;
  const { rungs, strategy, consent } = settings;
  const general = policyHere(settings.downgrade, sources.downgrade, network);
  return [
    { id: '', names: [], ...general, rungs: inOrder(rungs), strategy, consent },
    ...Object.entries(settings.groups).map(([id, group]) => ({
      id,
      names: group.names.map(normalSuffix),
      // A group's own policy is about its names, on every network: like a lock, it lets a network only make it stricter.
      ...(group.downgrade === undefined
        ? general
        : policyHere(group.downgrade, { ...sources.groups, locked: true }, network)),
      rungs: inOrder(group.rungs ?? rungs),
      strategy: group.strategy ?? strategy,
      consent: group.consent ?? consent,
    })),
  ];
}

function policyHere(
  setting: DowngradePolicy,
  source: SettingSource,
  network: NetworkRule,
): Pick<GroupRules, 'policy' | 'why'> {
  const here = network.policyHere(setting);
  const looser = strictest([setting, here.policy]) !== here.policy;
  return here.source !== 'network' || (looser && source.locked)
    ? { policy: setting, why: whoSet(source) }
    : { policy: here.policy, why: `what was set for the network ${network.label()}` };
}

export function whoSet({ layer, lockedBy, file }: SettingSource): string {
  if (layer === 'policy') return lockedBy ?? file ?? 'a policy';
  return layer === 'user' ? 'your settings' : 'the defaults';
}

function inOrder(rungs: readonly Rung[]): Rung[] {
  return rungNames.filter((rung) => rungs.includes(rung));
}
