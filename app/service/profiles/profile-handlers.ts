/** The contract's methods `profile.*`: a version is judged, brought into force, and only then kept. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import {
  type EnrolledProfile,
  grants as everyGrant,
  type Grant,
} from '../../contract/settings/profile-methods.ts';
import { type FlatSettings, settingKeys } from '../../contract/settings/settings.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { InOrder } from '../base/in-order.ts';
import type { Journal } from '../logging/journal.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { unknownSetting } from '../settings/settings-editor.ts';
import { type SettingsStore, sayProblem } from '../settings/settings-store.ts';
import { decideEntries } from './decide-entries.ts';
import { describe, describeEnrolled } from './describe-enrolled.ts';
import { type Enrolment, type EnrolmentStore, entriesOf, holdsText, layerOf } from './enrolment.ts';
import { judgeSignature, type PublicKey, readPublicKey, readSignature } from './minisign.ts';
import { type Profile, type ProfileRead, readProfile } from './profile-file.ts';
import { statedLayers } from './stated-layers.ts';

export interface ProfileParts {
  enrolment: EnrolmentStore;
  /** where the enrolment is kept, by which errors name the profile */
  file: string;
  store: Pick<SettingsStore, 'current' | 'considerProfile' | 'layers' | 'withoutProfile' | 'own'>;
  adopt(effective: EffectiveSettings): Promise<Result<null>>;
  /** The settings are read anew, and what is in force is kept for the next start. */
  reload(): void;
  /** shared with whatever else changes what is in force */
  inTurn: InOrder;
  journal: Journal;
  now(): number;
}

export type ProfileHandlers = Pick<
  ServiceHandlers,
  Extract<keyof ServiceHandlers, `profile.${string}`>
>;
type Changed = Result<{ profile: EnrolledProfile; problems: string[] }>;

interface Signed {
  profile: string;
  signature: string;
}

export function createProfileHandlers(parts: ProfileParts): ProfileHandlers {
  const { enrolment, file, store, journal, inTurn, now } = parts;

  /** `before`: null where the machine is not enrolled yet. */
  async function accept(
    signed: Signed,
    to: Pick<Enrolment, 'key' | 'grants' | 'enrolledAt'>,
    before: Enrolment | null,
    approved: boolean,
  ): Promise<Changed> {
    const key = readPublicKey(to.key);
    if (key === null) return refused('the public key is not one', 'give NAME.pub of the issuer');
    const read = verified(signed, key, file);
    if (!read.ok) return read;
    const late = refuseVersion(read.value, before, signed, now());
    if (late !== null) return late;
    const without = store.withoutProfile();
    if (without === null) return unjudged();
    const next = enrolmentOf(read.value, signed, to, { before, approved, without });
    const contradicting = await bringIntoForce(next);
    if (!contradicting.ok) return contradicting;
    const { profile, problems } = read.value;
    const described = describe(next, profile, key);
    journal.note('profile-accepted', {
      id: next.id,
      serial: next.serial,
      settings: described.settings,
      waiting: next.waiting.map((entry) => entry.key),
    });
    return succeed({
      profile: described,
      problems: [...problems.map(sayProblem), ...contradicting.value],
    });
  }

  function enrolmentOf(
    read: WholeRead,
    { profile, signature }: Signed,
    { key, grants, enrolledAt }: Pick<Enrolment, 'key' | 'grants' | 'enrolledAt'>,
    { before, approved, without }: Judged,
  ): Enrolment {
    const { id, serial, issuer } = read.profile;
    const { entries, waiting, kept } = decideEntries(read, {
      before: before === null ? [] : entriesOf(before),
      allowed: approved ? everyGrant : grants,
      without,
    });
    const facts = { key, grants, enrolledAt, id, serial, acceptedAt: now() };
    const holds = holdsText(issuer, entries);
    return { ...facts, profile, signature, approved, holds, waiting, kept };
  }

  /** Resolves to what of it contradicts other settings. */
  async function bringIntoForce(next: Enrolment | null): Promise<Result<string[]>> {
    const layer = next === null ? null : layerOf(file, next);
    const { effective, policyProblems } = store.considerProfile(layer);
    if (effective === null) return unjudged();
    const before = store.current();
    const adopted = await parts.adopt(effective);
    if (!adopted.ok) return adopted;
    try {
      enrolment.keep(next);
    } catch (error) {
      await parts.adopt(before);
      return fail(
        'state-unwritable',
        `can't write ${file}: ${sayErrno(error)}; nothing was changed`,
        'free space on the disk and check who owns the file',
        file,
      );
    }
    parts.reload();
    return succeed(policyProblems.filter((one) => one.file === file).map(sayProblem));
  }

  const notEnrolled = () =>
    fail('no-profile', 'this machine is enrolled in no profile', 'see: sotto profile enrol --help');

  async function enrol(given: Signed & { key: string; grants: Grant[] }): Promise<Changed> {
    const { key, grants, ...signed } = given;
    const present = enrolment.current();
    if (present !== null)
      return refused(
        `this machine is enrolled in "${present.id}" already`,
        'one organisation decides at a time: leave it first, with sotto profile leave',
      );
    return await accept(signed, { key, grants, enrolledAt: now() }, null, false);
  }

  async function update(signed: Signed): Promise<Changed> {
    const before = enrolment.current();
    return before === null ? notEnrolled() : await accept(signed, before, before, false);
  }

  async function approve(serial: number): Promise<Changed> {
    const before = enrolment.current();
    if (before === null) return notEnrolled();
    if (before.serial !== serial)
      return refused(
        `the present version has the serial ${before.serial}, not ${serial}`,
        'look at what waits now: sotto profile status',
      );
    return await accept(before, before, before, true);
  }

  async function leave(): Promise<Result<{ id: string }>> {
    const before = enrolment.current();
    if (before === null) return notEnrolled();
    const left = await bringIntoForce(null);
    if (!left.ok) return left;
    journal.note('profile-left', { id: before.id, serial: before.serial });
    return succeed({ id: before.id });
  }

  return {
    'profile.show': () => succeed({ profile: describeEnrolled(enrolment.current()) }),
    'profile.enrol': (given) => inTurn(() => enrol(given)),
    'profile.update': (signed) => inTurn(() => update(signed)),
    'profile.approve': ({ serial }) => inTurn(() => approve(serial)),
    'profile.leave': () => inTurn(leave),
    'profile.effective': ({ key }) => {
      if (key !== undefined && !settingKeys.some((one) => one === key)) return unknownSetting(key);
      const stated = { own: store.own(), layers: store.layers(), effective: store.current() };
      const settings = statedLayers(stated);
      return succeed({ settings: settings.filter((one) => key === undefined || one.key === key) });
    },
  };
}

interface Judged {
  before: Enrolment | null;
  approved: boolean;
  without: readonly FlatSettings[];
}

function unjudged(): Result<never> {
  return fail(
    'settings-invalid',
    'settings.json has an error, so nothing can be judged beside it',
    'correct it first; see: sotto status',
  );
}

type WholeRead = ProfileRead & { profile: Profile };

/** The signature first: nothing of a file that somebody else may have written is read before. */
function verified({ profile, signature }: Signed, key: PublicKey, file: string): Result<WholeRead> {
  const octets = Buffer.from(profile, 'base64');
  const read = readSignature(signature);
  if (read === null) return refused('the signature is not one', 'give FILE.minisig as it was made');
  const verdict = judgeSignature(octets, read, key);
  if (verdict !== 'valid')
    return refused(
      verdict === 'other-key'
        ? 'another key signed it than the one that this machine trusts'
        : 'it is not what was signed',
      'do not use it; ask whoever made it',
    );
  const found = readProfile(file, octets);
  const { profile: facts, problems } = found;
  const isRefused = facts === null || (facts.strict === true && problems.length > 0);
  if (facts === null || isRefused)
    return fail(
      'profile-refused',
      problems.map(sayProblem).join('\n'),
      'have it corrected and signed again; the version before holds',
      file,
    );
  return succeed({ ...found, profile: facts });
}

/** Null: it may come. The same octets may come again. */
function refuseVersion(
  { profile }: WholeRead,
  before: Enrolment | null,
  signed: Signed,
  now: number,
): Result<never> | null {
  const { id, serial, notBefore } = profile;
  if (notBefore !== undefined && Date.parse(notBefore) > now)
    return refused(`it holds from ${notBefore} on`, 'try again then, or check the clock');
  if (before === null) return null;
  if (id !== before.id)
    return refused(
      `it is the profile "${id}", and this machine has "${before.id}"`,
      'leave that one first',
    );
  if (serial < before.serial || (serial === before.serial && signed.profile !== before.profile))
    return refused(
      `its serial ${serial} does not come after ${before.serial}`,
      'an old version never comes back: have a new one made with a larger serial',
    );
  return null;
}

function refused(message: string, remedy: string): Result<never> {
  return fail('profile-refused', message, remedy);
}
