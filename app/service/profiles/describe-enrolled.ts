/** The profile of this machine as people are shown it: what its file says of itself, and what of it holds. Pure. */
import { matchText } from '../../contract/settings/network-match.ts';
import type { EnrolledProfile, WaitingSetting } from '../../contract/settings/profile-methods.ts';
import type { FlatSettings } from '../../contract/settings/settings.ts';
import type { Here } from '../network/current-network.ts';
import { lockOf } from '../settings/policy-file.ts';
import {
  type Enrolment,
  type EnrolmentStore,
  entriesOf,
  formerAt,
  networksOf,
} from './enrolment.ts';
import { fingerprintOf, readPublicKey } from './minisign.ts';
import { fits } from './networks/holding-here.ts';
import { type Profile, readSigned } from './profile-file.ts';

/** Without what is in force, which changes while the profile stays the same. */
export type DescribedProfile = Omit<EnrolledProfile, 'waiting'> & {
  waiting: Omit<WaitingSetting, 'holds'>[];
};

/** Remembered for the last one, because a status asks for it often. */
let last: { of: Enrolment; here: string; described: DescribedProfile | null } | null = null;

export function describeEnrolled(
  store: Pick<EnrolmentStore, 'current' | 'here'>,
): DescribedProfile | null {
  const [enrolment, here] = [store.current(), store.here()];
  if (enrolment === null) return null;
  const text = JSON.stringify(here);
  if (last?.of !== enrolment || last.here !== text)
    last = { of: enrolment, here: text, described: readAndDescribe(enrolment, here) };
  return last.described;
}

function readAndDescribe(enrolment: Enrolment, here: Here): DescribedProfile | null {
  const { profile } = readSigned(null, enrolment.profile);
  return profile === null ? null : describe(enrolment, profile, here);
}

export function describe(enrolment: Enrolment, profile: Profile, here: Here): DescribedProfile {
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
    waiting: enrolment.waiting.map((one) => ({ ...one, wanted: wantedBy(profile, one) })),
    settings: entriesOf(enrolment).map((entry) => entry.key),
    networks: networksOf(enrolment).map(({ match, entries }) => ({
      match: matchText(match),
      fits: fits(match, here),
      settings: entries.map(({ key }) => key),
    })),
    standsIn: formerAt(enrolment, here.id)?.serial ?? null,
  };
}

function wantedBy(
  profile: Profile,
  { key, network }: Pick<WaitingSetting, 'key' | 'network'>,
): WaitingSetting['wanted'] {
  const onNetwork = profile.networks.find(({ match }) => matchText(match) === network);
  const { entries } = network === undefined ? profile : (onNetwork ?? { entries: [] });
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
