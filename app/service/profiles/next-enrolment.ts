/** What the machine would keep of a version, once it is taken: what holds of it, here and on other networks, and what waits. */
import { grants as everyGrant } from '../../contract/settings/profile-methods.ts';
import type { FlatSettings, SettingKey } from '../../contract/settings/settings.ts';
import { holdingAt } from '../settings/policy-file.ts';
import { decideEntries } from './decide-entries.ts';
import { type Enrolment, entriesOf, holdsText, networksOf } from './enrolment.ts';
import type { Signed, WholeRead } from './judge-version.ts';
import { decideNetworks } from './networks/decide-networks.ts';
import { placeInRollout } from './place-in-rollout.ts';
import { behindOf, type DecidedVersion, withRoutesFirst } from './routes-first.ts';
import { trialOf } from './trial/trial.ts';

/** What was agreed at the enrolment, and outlives the versions. */
export type Terms = Pick<
  Enrolment,
  'key' | 'nextKey' | 'grants' | 'enrolledAt' | 'source' | 'address' | 'ring'
>;

export const noTerms = { nextKey: null, source: null, address: null, ring: null };

export interface Judged {
  before: Enrolment | null;
  approved: boolean;
  without: readonly FlatSettings[];
  now: number;
  /** what was found to contradict other settings, so that something else holds in its place */
  givingWay?: readonly SettingKey[];
}

export function nextEnrolment(
  read: WholeRead,
  { profile, signature }: Signed,
  terms: Terms,
  judged: Judged,
): Enrolment {
  const { before, approved, now } = judged;
  const { id, serial, issuer, nextKey = null } = read.profile;
  const { entries, networks, waiting, kept } = decide(read, terms, judged);
  const place = before?.place ?? placeInRollout(id);
  const facts = { ...termsOf(terms), nextKey, place, id, serial, acceptedAt: now };
  const holds = holdsText(issuer, entries);
  const trial = trialOf(before, { serial, holds });
  return {
    ...{ ...facts, profile, signature, approved, holds, trial, waiting, kept },
    networks: networks.map(({ match, entries: on, loosening }) => ({
      ...{ match, loosening },
      holds: holdsText(issuer, on),
    })),
  };
}

function decide(
  read: WholeRead,
  { grants }: Terms,
  { before: last, approved, without, now, givingWay = [] }: Judged,
): DecidedVersion {
  const allowed = approved ? everyGrant : grants;
  const before = {
    entries: last === null ? [] : entriesOf(last).filter(holdingAt(now)),
    networks: last === null ? [] : networksOf(last),
  };
  const terms = { allowed, without };
  const everywhere = decideEntries(read, { before: before.entries, ...terms });
  const there = decideNetworks(read, everywhere.entries, before.networks, terms);
  const decided = {
    entries: everywhere.entries,
    networks: there.networks,
    waiting: [...everywhere.waiting, ...there.waiting],
    kept: [...everywhere.kept, ...there.kept],
  };
  const unread = [read, ...read.profile.networks].flatMap((part) => part.unread);
  const isNew = (key: string) => !decided.kept.some((one) => one === key);
  const waits = approved ? null : behindOf(decided.waiting, unread.filter(isNew));
  const [here] = without;
  return here === undefined
    ? decided
    : withRoutesFirst(decided, waits, { before, without: here, givingWay });
}

function termsOf({ key, nextKey, grants, enrolledAt, source, address, ring }: Terms): Terms {
  return { key, nextKey, grants, enrolledAt, source, address, ring };
}
