/** The settings in force, read again whenever the upstreams change, and on request. */
import type { SettingKey } from '../../../app/contract/settings/settings.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import { useAsked } from '../../state/asked.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';

export interface KnownSettings {
  /** `pause`: not every service has it */
  setting(key: SettingKey | 'pause'): EffectiveSetting | undefined;
  readAgain(): void;
}

/** null until they are known */
export function useSettings(): KnownSettings | null {
  const { value, again } = useAsked('settings.effective', {}, useUpstreamsInUse());
  if (value === null) return null;
  return {
    setting: (wanted) => value.settings.find(({ key }) => key === wanted),
    readAgain: again,
  };
}

/** Their ids, as one text that changes with them; empty until they are known. */
export function useUpstreamsInUse(): string {
  const status = useStore(useService().status)?.value;
  return status?.upstreams.map(({ id }) => id).join() ?? '';
}
