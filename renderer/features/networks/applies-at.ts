/** What the settings say about one network by its name or id. Pure. */
import type { BypassRule } from '../../../app/contract/settings/bypass-rule.ts';
import type { Condition } from '../../../app/contract/settings/condition.ts';
import type { GroupSetting } from '../../../app/contract/settings/downgrade-policy.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { NetworkEntry } from '../../../app/contract/system/network.ts';

export interface Applies {
  /** the names that are excepted on this network */
  exceptions: readonly string[];
  /** the names that providers of a group answer on this network */
  groups: readonly string[];
  /** how many conditions keep queries encrypted on this network, whatever its policy */
  neverUnencrypted: number;
}

export function appliesAt(
  network: Pick<NetworkEntry, 'id' | 'name'>,
  settings: readonly EffectiveSetting[],
): Applies {
  const names = (when: Condition | undefined) =>
    when?.network?.some((reference) => isMeant(reference, network)) ?? false;
  const bypass = settingValue<BypassRule[]>(settings, 'bypass', []);
  const groups = settingValue<Record<string, GroupSetting>>(settings, 'groups', {});
  const refusals = settingValue<Condition[]>(settings, 'refuseFor', []);
  return {
    exceptions: bypass.filter(({ when }) => names(when)).map(({ suffix }) => suffix),
    groups: Object.values(groups)
      .filter(({ when }) => names(when))
      .flatMap((group) => group.names),
    neverUnencrypted: refusals.filter(names).length,
  };
}

/** As the service compares them: an id is exact, a name is not told apart by upper and lower case. */
function isMeant(reference: string, { id, name }: Pick<NetworkEntry, 'id' | 'name'>): boolean {
  return reference === id || reference.toLowerCase() === name?.toLowerCase();
}

/** The service has validated the values. */
function settingValue<Value>(
  settings: readonly EffectiveSetting[],
  key: string,
  none: Value,
): Value {
  const setting = settings.find((one) => one.key === key);
  return setting === undefined ? none : (setting.value as Value);
}
