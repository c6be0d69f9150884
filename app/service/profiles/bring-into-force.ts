/** A version, or what holds of it here, is given to the engine, and then written; where the disk refuses, nothing changes. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { type SettingsStore, sayProblem } from '../settings/settings-store.ts';
import { type Enrolment, type EnrolmentStore, layerOf } from './enrolment.ts';

export interface ForceParts {
  enrolment: EnrolmentStore;
  /** where the enrolment is kept, by which errors name the profile */
  file: string;
  store: Pick<SettingsStore, 'current' | 'considerProfile'>;
  adopt(effective: EffectiveSettings): Promise<Result<null>>;
  /** The settings are read anew, and what is in force is kept for the next start. */
  reload(): void;
}

/** Null: the machine leaves. Resolves to what of it contradicts other settings. */
export async function bringIntoForce(
  next: Enrolment | null,
  { enrolment, file, store, adopt, reload }: ForceParts,
): Promise<Result<string[]>> {
  const layer = next === null ? null : layerOf(file, next, enrolment.here());
  const { effective, policyProblems } = store.considerProfile(layer);
  if (effective === null) return unjudged();
  const before = store.current();
  const adopted = await adopt(effective);
  if (!adopted.ok) return adopted;
  try {
    enrolment.keep(next);
  } catch (error) {
    await adopt(before);
    return fail(
      'state-unwritable',
      `can't write ${file}: ${sayErrno(error)}; nothing was changed`,
      'free space on the disk and check who owns the file',
      file,
    );
  }
  reload();
  return succeed(policyProblems.filter((one) => one.file === file).map(sayProblem));
}

/** The same version, as it holds on the network where the machine is now. */
export async function bringHere(parts: ForceParts): Promise<Result<null>> {
  const { enrolment, store, adopt, reload } = parts;
  const layer = enrolment.layer();
  if (layer === undefined) return succeed(null);
  const { effective } = store.considerProfile(layer);
  if (effective === null) return unjudged();
  const adopted = await adopt(effective);
  if (adopted.ok) reload();
  return adopted;
}

export function unjudged(): Result<never> {
  return fail(
    'settings-invalid',
    'settings.json has an error, so nothing can be judged beside it',
    'correct it first; see: sotto status',
  );
}
