/** The profile of this machine as people are shown it: what its file says of itself, and what of it holds. Pure. */
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import { type Enrolment, entriesOf } from './enrolment.ts';
import { fingerprintOf, type PublicKey, readPublicKey } from './minisign.ts';
import { type Profile, readProfile } from './profile-file.ts';

/** Remembered for the last one, because a status asks for it often. */
let last: { of: Enrolment; described: EnrolledProfile | null } | null = null;

export function describeEnrolled(enrolment: Enrolment | null): EnrolledProfile | null {
  if (enrolment === null) return null;
  if (last?.of !== enrolment) last = { of: enrolment, described: readAndDescribe(enrolment) };
  return last.described;
}

function readAndDescribe(enrolment: Enrolment): EnrolledProfile | null {
  const key = readPublicKey(enrolment.key);
  const { profile } = readProfile('', Buffer.from(enrolment.profile, 'base64'));
  return key === null || profile === null ? null : describe(enrolment, profile, key);
}

export function describe(enrolment: Enrolment, profile: Profile, key: PublicKey): EnrolledProfile {
  const { id, serial, issuer, name, notBefore, notAfter } = profile;
  const { grants, enrolledAt, acceptedAt, waiting, kept } = enrolment;
  const time = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
  return {
    ...{ id, serial, issuer, name, grants, enrolledAt, acceptedAt, waiting, kept },
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    fingerprint: fingerprintOf(key),
    settings: entriesOf(enrolment).map((entry) => entry.key),
  };
}
