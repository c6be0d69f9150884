/** What the machine would keep of a version, once it is taken: what holds of it, here and on other networks, and what waits. */
import { grants as everyGrant } from '../../contract/settings/profile-methods.ts';
import type { FlatSettings } from '../../contract/settings/settings.ts';
import { holdingAt } from '../settings/policy-file.ts';
import { decideEntries } from './decide-entries.ts';
import { type Enrolment, entriesOf, holdsText, networksOf } from './enrolment.ts';
import type { Signed, WholeRead } from './judge-version.ts';
import { decideNetworks } from './networks/decide-networks.ts';
import { placeInRollout } from './place-in-rollout.ts';
import { trialOf } from './trial/trial.ts';

/** What was agreed at the enrolment, and outlives the versions. */
export type Terms = Pick<
  Enrolment,
  'key' | 'nextKey' | 'grants' | 'enrolledAt' | 'source' | 'address' | 'ring'
>;

export const noTerms = { nextKey: null, source: null, address: null, ring: null };

interface Judged {
  before: Enrolment | null;
  approved: boolean;
  without: readonly FlatSettings[];
  now: number;
}

export function nextEnrolment(
  read: WholeRead,
  { profile, signature }: Signed,
  terms: Terms,
  { before, approved, without, now }: Judged,
): Enrolment {
  const { id, serial, issuer, nextKey = null } = read.profile;
  const allowed = approved ? everyGrant : terms.grants;
  const { entries, waiting, kept } = decideEntries(read, {
    before: before === null ? [] : entriesOf(before).filter(holdingAt(now)),
    allowed,
    without,
  });
  const place = before?.place ?? placeInRollout(id);
  const facts = { ...termsOf(terms), nextKey, place, id, serial, acceptedAt: now };
  const holds = holdsText(issuer, entries);
  const trial = trialOf(before, { serial, holds });
  const onNetworks = decideNetworks(read, entries, before === null ? [] : networksOf(before), {
    allowed,
    without,
  });
  return {
    ...{ ...facts, profile, signature, approved, holds, trial },
    networks: onNetworks.networks.map(({ match, entries: on, loosening }) => ({
      ...{ match, loosening },
      holds: holdsText(issuer, on),
    })),
    waiting: [...waiting, ...onNetworks.waiting],
    kept: [...kept, ...onNetworks.kept],
  };
}

function termsOf({ key, nextKey, grants, enrolledAt, source, address, ring }: Terms): Terms {
  return { key, nextKey, grants, enrolledAt, source, address, ring };
}
