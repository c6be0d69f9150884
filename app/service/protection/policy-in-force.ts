/** Which policy holds for each group of upstreams here and now, and who set it. Pure. */
import { type Rung, rungNames, type Strategy } from '../../contract/engine-words.ts';
import type { Condition } from '../../contract/settings/condition.ts';
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import type { Consent } from '../../contract/settings/downgrade-policy.ts';
import { fitHere, type PlaceAndTime } from '../conditions/condition-here.ts';
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
  /** whose names it takes; its users and units are judged by the engine */
  when: Condition | null;
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
export type NetworkRule = Pick<CurrentNetwork, 'label' | 'policyHere' | 'isNetwork'>;

/** The default group first; without those that are for another network or time. */
export function rulesInForce(
  effective: EffectiveSettings,
  network: NetworkRule,
  clock: Pick<PlaceAndTime, 'now' | 'built'>,
): GroupRules[] {
  const groups = allRules(effective, network);
  const fits = groups.map(({ when }) =>
    when === null ? 'yes' : fitHere(when, { isNetwork: network.isNetwork, ...clock }),
  );
  const certain = groups.filter((_group, index) => fits[index] === 'yes');
  return groups.flatMap((group, index) => {
    if (fits[index] !== 'unknown') return fits[index] === 'yes' ? [group] : [];
    // Nobody knows whether we are on its network: it gets the names for which it is the stricter one.
    const names = group.names.filter((name) => isStricter(group, groupOf(name, certain)));
    return names.length === 0 ? [] : [{ ...group, names }];
  });
}

/** The group with the longest suffix of the name. */
function groupOf(name: string, groups: readonly GroupRules[]): GroupRules | undefined {
  const lengthIn = ({ names }: GroupRules) =>
    Math.max(0, ...names.map((own) => (`.${name}`.endsWith(`.${own}`) ? own.length : 0)));
  return groups.toSorted((one, other) => lengthIn(other) - lengthIn(one))[0];
}

function isStricter(one: GroupRules, other: GroupRules | undefined): boolean {
  return (
    one.policy !== other?.policy &&
    strictest([one.policy, other?.policy ?? 'refuse']) === one.policy
  );
}

function allRules(effective: EffectiveSettings, network: NetworkRule): GroupRules[] {
  const { settings, sources } = effective;
  const { rungs, strategy, consent } = settings;
  const general = policyHere(settings.downgrade, sources.downgrade, network);
  return [
    { id: '', names: [], ...general, rungs: inOrder(rungs), strategy, consent, when: null },
    ...inOrderOfIds(settings.groups).map(([id, group]) => ({
      id,
      names: group.names.map(normalSuffix),
      // A group's own policy is about its names, on every network: like a lock, it lets a network only make it stricter.
      ...(group.downgrade === undefined
        ? general
        : policyHere(group.downgrade, { ...sources.groups, locked: true }, network)),
      rungs: inOrder(group.rungs ?? rungs),
      strategy: group.strategy ?? strategy,
      consent: group.consent ?? consent,
      when: group.when ?? null,
    })),
  ];
}

/** Of two groups that fit for one name the first counts, and the order in a JSON object means nothing to whoever compares files. */
function inOrderOfIds<Group>(groups: Readonly<Record<string, Group>>): [string, Group][] {
  return Object.entries(groups).sort(([one], [other]) => (one < other ? -1 : 1));
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
  if (layer === 'profile') return lockedBy ?? 'the profile';
  return layer === 'user' ? 'your settings' : 'the defaults';
}

function inOrder(rungs: readonly Rung[]): Rung[] {
  return rungNames.filter((rung) => rungs.includes(rung));
}
