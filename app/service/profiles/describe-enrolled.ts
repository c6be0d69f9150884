/** The profile of this machine as people are shown it: what its file says of itself, and what of it holds. Pure. */
import { matchText } from '../../contract/settings/network-match.ts';
import type { EnrolledProfile, WaitingSetting } from '../../contract/settings/profile-methods.ts';
import type { Here } from '../network/current-network.ts';
import { holdingAt, lockOf, type PolicyEntry, type PolicyFile } from '../settings/policy-file.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import {
  type Enrolment,
  type EnrolmentStore,
  entriesOf,
  formerAt,
  networksOf,
} from './enrolment.ts';
import type { WholeRead } from './judge-version.ts';
import { fingerprintOf, readPublicKey } from './minisign.ts';
import { fits } from './networks/holding-here.ts';
import { type Profile, readSigned } from './profile-file.ts';
import { behindOf, gaveWay, isRouting } from './routes-first.ts';

/** Without what is in force, which changes while the profile stays the same. */
export type DescribedProfile = Omit<
  EnrolledProfile,
  'waiting' | 'gaveWay' | 'takeWithoutRoutes'
> & {
  waiting: Omit<WaitingSetting, 'holds'>[];
  /** something that says where names go waits, or can't be read */
  routesWait: boolean;
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
  const { profile, ...read } = readSigned(null, enrolment.profile);
  return profile === null ? null : describe(enrolment, { ...read, profile }, here);
}

export function describe(enrolment: Enrolment, read: WholeRead, here: Here): DescribedProfile {
  const { profile } = read;
  const unread = [read, ...profile.networks].flatMap((part) => part.unread);
  const isNew = (key: string) => !enrolment.kept.includes(key);
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
    routesWait: behindOf(enrolment.waiting, unread.filter(isNew)) !== null,
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

interface Holding {
  enrolment: Pick<EnrolmentStore, 'layer'>;
  store: Pick<SettingsStore, 'current' | 'layers'>;
  now(): number;
}

export function besideWhatHolds(
  { routesWait, ...profile }: DescribedProfile,
  { enrolment, store, now }: Holding,
): EnrolledProfile {
  const { values } = store.current();
  const inForce = values as Readonly<Record<string, unknown>>;
  const waiting = profile.waiting.map((one) => ({
    ...one,
    holds: inForce[one.key] as WaitingSetting['holds'],
  }));
  const meant = enrolment.layer()?.entries.filter(holdingAt(now())) ?? [];
  const without = gaveWay(meant, profileIn(store.layers()));
  const takes = () => {
    if (values['systemDns.take']) return 'holds';
    return waiting.some(({ key }) => key === 'systemDns.take') ? 'waits' : 'no';
  };
  const takeWithoutRoutes = routesWait || without.some(isRouting) ? takes() : 'no';
  return { ...profile, waiting, gaveWay: without, takeWithoutRoutes };
}

/** What of the profile is in force, if no stronger layer says otherwise. */
export function profileIn(layers: readonly PolicyFile[]): readonly PolicyEntry[] {
  return layers.find(({ layer }) => layer === 'profile')?.entries ?? [];
}

function fingerprintIn(text: string): string {
  const key = readPublicKey(text);
  return key === null ? '' : fingerprintOf(key);
}
