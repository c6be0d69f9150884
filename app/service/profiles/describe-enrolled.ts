/** The profile of this machine as people are shown it: what its file says of itself, and what of it holds. Pure. */
import type { EnrolledProfile, WaitingSetting } from '../../contract/settings/profile-methods.ts';
import type { FlatSettings } from '../../contract/settings/settings.ts';
import { type Enrolment, entriesOf } from './enrolment.ts';
import { fingerprintOf, readPublicKey } from './minisign.ts';
import { lockOf } from './profile-diff.ts';
import { type Profile, readProfile } from './profile-file.ts';

/** Without what is in force, which changes while the profile stays the same. */
export type DescribedProfile = Omit<EnrolledProfile, 'waiting'> & {
  waiting: Omit<WaitingSetting, 'holds'>[];
};

/** Remembered for the last one, because a status asks for it often. */
let last: { of: Enrolment; described: DescribedProfile | null } | null = null;

export function describeEnrolled(enrolment: Enrolment | null): DescribedProfile | null {
  if (enrolment === null) return null;
  if (last?.of !== enrolment) last = { of: enrolment, described: readAndDescribe(enrolment) };
  return last.described;
}

function readAndDescribe(enrolment: Enrolment): DescribedProfile | null {
  const { profile } = readProfile('', Buffer.from(enrolment.profile, 'base64'));
  return profile === null ? null : describe(enrolment, profile);
}

export function describe(enrolment: Enrolment, profile: Profile): DescribedProfile {
  const { id, serial, issuer, name, notBefore, notAfter, rollout = {} } = profile;
  const { grants, enrolledAt, acceptedAt, kept, source, ring, nextKey } = enrolment;
  const time = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
  return {
    ...{ id, serial, issuer, name, grants, enrolledAt, acceptedAt, kept },
    ...{ source, ring, rollout },
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    fingerprint: fingerprintIn(enrolment.key),
    nextFingerprint: nextKey === null ? null : fingerprintIn(nextKey),
    waiting: enrolment.waiting.map((one) => ({ ...one, wanted: wantedBy(profile, one.key) })),
    settings: entriesOf(enrolment).map((entry) => entry.key),
  };
}

function wantedBy({ entries }: Profile, key: string): WaitingSetting['wanted'] {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return null;
  const { reason, until } = entry;
  return { value: entry.value as WaitingSetting['holds'], lock: lockOf(entry), reason, until };
}

/** `values`: in force now. */
export function besideWhatHolds(profile: DescribedProfile, values: FlatSettings): EnrolledProfile {
  const inForce = values as Readonly<Record<string, unknown>>;
  const waiting = profile.waiting.map((one) => ({
    ...one,
    holds: inForce[one.key] as WaitingSetting['holds'],
  }));
  return { ...profile, waiting };
}

function fingerprintIn(text: string): string {
  const key = readPublicKey(text);
  return key === null ? '' : fingerprintOf(key);
}
