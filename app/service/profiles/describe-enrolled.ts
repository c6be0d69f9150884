/** The profile of this machine as people are shown it: what its file says of itself, and what of it holds. Pure. */
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import { type Enrolment, type EnrolmentStore, entriesOf, formerAt } from './enrolment.ts';
import { fingerprintOf, readPublicKey } from './minisign.ts';
import { type Profile, readProfile } from './profile-file.ts';

/** Remembered for the last one, because a status asks for it often. */
let last: { of: Enrolment; network: string; described: EnrolledProfile | null } | null = null;

export function describeEnrolled(
  store: Pick<EnrolmentStore, 'current' | 'here'>,
): EnrolledProfile | null {
  const [enrolment, network] = [store.current(), store.here()];
  if (enrolment === null) return null;
  if (last?.of !== enrolment || last.network !== network)
    last = { of: enrolment, network, described: readAndDescribe(enrolment, network) };
  return last.described;
}

function readAndDescribe(enrolment: Enrolment, network: string): EnrolledProfile | null {
  const { profile } = readProfile('', Buffer.from(enrolment.profile, 'base64'));
  return profile === null ? null : describe(enrolment, profile, network);
}

export function describe(enrolment: Enrolment, profile: Profile, network: string): EnrolledProfile {
  const { id, serial, issuer, name, notBefore, notAfter, rollout = {} } = profile;
  const { grants, enrolledAt, acceptedAt, waiting, kept, source, ring, nextKey } = enrolment;
  const time = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
  return {
    ...{ id, serial, issuer, name, grants, enrolledAt, acceptedAt, waiting, kept },
    ...{ source, ring, rollout },
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    fingerprint: fingerprintIn(enrolment.key),
    nextFingerprint: nextKey === null ? null : fingerprintIn(nextKey),
    settings: entriesOf(enrolment).map((entry) => entry.key),
    standsIn: formerAt(enrolment, network)?.serial ?? null,
  };
}

function fingerprintIn(text: string): string {
  const key = readPublicKey(text);
  return key === null ? '' : fingerprintOf(key);
}
