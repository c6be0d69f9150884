/** The profile of this computer and what each layer says, read again after changes made here, and with the status. */
import { useMemo } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { ResultOf } from '../../../app/contract/service-api.ts';
import { useAsked } from '../../state/asked.ts';
import { useNow } from '../../state/now.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import type { AllDeclared } from './declared.ts';

export type Shown = ResultOf<'profile.show'>;
export type Stated = ResultOf<'profile.effective'>['settings'];

export interface KnownProfile {
  /** null: not known yet */
  shown: Shown | null;
  stated: Stated;
  declared: AllDeclared;
  failure: Failure | null;
  again(): void;
}

const minute = 60_000;

export function useProfile(): KnownProfile {
  const status = useStore(useService().status)?.value;
  // No topic tells of profiles: their health issues do, and the service looks at a source by itself.
  const issues = status?.health.filter(({ code }) => code.startsWith('profile-')) ?? [];
  const round = Math.floor(useNow(minute) / minute);
  const shown = useAsked('profile.show', {}, JSON.stringify([issues, round]));
  const { profile = null } = shown.value ?? {};
  const version = JSON.stringify([profile?.acceptedAt, profile?.serial, issues]);
  const stated = useAsked('profile.effective', {}, version);
  const described = useAsked('settings.describe', {});
  const declared = useMemo(
    () => new Map(described.value?.settings.map((setting) => [setting.key, setting])),
    [described.value],
  );
  return {
    shown: shown.value,
    stated: stated.value?.settings ?? [],
    declared,
    failure: shown.failure ?? stated.failure,
    again: shown.again,
  };
}
