/** The settings in force, read again whenever the upstreams change, and on request. */
import { useCallback, useEffect, useState } from 'react';
import type { SettingKey } from '../../../app/contract/settings/settings.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';

export interface KnownSettings {
  setting(key: SettingKey): EffectiveSetting | undefined;
  readAgain(): void;
}

/** null until they are known */
export function useSettings(): KnownSettings | null {
  const { session, status } = useService();
  const live = useLive();
  const inUse =
    useStore(status)
      ?.value.upstreams.map(({ id }) => id)
      .join() ?? '';
  const [reading, setReading] = useState(0);
  const [settings, setSettings] = useState<readonly EffectiveSetting[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are the occasions to read them again
  useEffect(() => {
    if (!live) return;
    let current = true;
    void session.call('settings.effective', {}).then((read) => {
      if (current && read.ok) setSettings(read.value.settings);
    });
    return () => {
      current = false;
    };
  }, [session, live, inUse, reading]);
  const readAgain = useCallback(() => setReading((times) => times + 1), []);
  if (settings === null) return null;
  return { setting: (wanted) => settings.find(({ key }) => key === wanted), readAgain };
}
