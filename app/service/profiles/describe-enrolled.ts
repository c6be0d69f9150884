/** The profile of this machine as people are shown it: what its file says of itself, and what of it holds. Pure. */
import { matchText } from '../../contract/settings/network-match.ts';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import type { Here } from '../network/current-network.ts';
import {
  type Enrolment,
  type EnrolmentStore,
  entriesOf,
  formerAt,
  networksOf,
} from './enrolment.ts';
import { fingerprintOf, readPublicKey } from './minisign.ts';
import { fits } from './networks/holding-here.ts';
import { type Profile, readProfile } from './profile-file.ts';

/** Remembered for the last one, because a status asks for it often. */
let last: { of: Enrolment; here: string; described: EnrolledProfile | null } | null = null;

export function describeEnrolled(
  store: Pick<EnrolmentStore, 'current' | 'here'>,
): EnrolledProfile | null {
  const [enrolment, here] = [store.current(), store.here()];
  if (enrolment === null) return null;
  const text = JSON.stringify(here);
  if (last?.of !== enrolment || last.here !== text)
    last = { of: enrolment, here: text, described: readAndDescribe(enrolment, here) };
  return last.described;
}

function readAndDescribe(enrolment: Enrolment, here: Here): EnrolledProfile | null {
  const { profile } = readProfile('', Buffer.from(enrolment.profile, 'base64'));
  return profile === null ? null : describe(enrolment, profile, here);
}

export function describe(enrolment: Enrolment, profile: Profile, here: Here): EnrolledProfile {
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
    networks: networksOf(enrolment).map(({ match, entries }) => ({
      match: matchText(match),
      fits: fits(match, here),
      settings: entries.map(({ key }) => key),
    })),
    standsIn: formerAt(enrolment, here.id)?.serial ?? null,
  };
}

function fingerprintIn(text: string): string {
  const key = readPublicKey(text);
  return key === null ? '' : fingerprintOf(key);
}
