/** A version is judged, brought into force, and only then kept and told; or refused, and that is told as well. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import {
  type EnrolledProfile,
  grants as everyGrant,
} from '../../contract/settings/profile-methods.ts';
import { refusedVersion } from '../audit/audited-handlers.ts';
import type { Journal } from '../logging/journal.ts';
import { holdingAt } from '../settings/policy-file.ts';
import { type SettingsStore, sayProblem } from '../settings/settings-store.ts';
import type { Problem } from '../settings/settings-text.ts';
import { bringIntoForce, type ForceParts, unjudged } from './bring-into-force.ts';
import { besideWhatHolds, describe, profileIn } from './describe-enrolled.ts';
import { type Enrolment, keysOf, layerOf } from './enrolment.ts';
import { refuseVersion, type Signed, type Verified, verifyVersion } from './judge-version.ts';
import { missingGrants } from './missing-grants.ts';
import { type Judged, nextEnrolment, type Terms } from './next-enrolment.ts';
import { gaveWay } from './routes-first.ts';
import type { Trial } from './trial/trial.ts';

export interface AcceptParts extends ForceParts {
  store: ForceParts['store'] & Pick<SettingsStore, 'withoutProfile' | 'layers'>;
  journal: Pick<Journal, 'note'>;
  trial: Pick<Trial, 'lookSoon'>;
  now(): number;
}

export interface Wanted {
  to: Terms;
  /** null where the machine is not enrolled yet */
  before: Enrolment | null;
  approved?: boolean;
  /** where not all of it would hold, nothing is done */
  require?: boolean | undefined;
}

interface Considered {
  next: Enrolment;
  /** where its entries contradict other settings of this machine */
  contradictions: Problem[];
}

export type Changed = Result<{ profile: EnrolledProfile; problems: string[]; notYet?: string }>;

export function createAccept(
  parts: AcceptParts,
): (signed: Signed, wanted: Wanted) => Promise<Changed> {
  const { enrolment, file, store, journal, trial, now } = parts;

  function verify(signed: Signed, to: Terms, before: Enrolment | null): Result<Verified> {
    const verified = verifyVersion(signed, keysOf(to), file);
    if (!verified.ok) return verified;
    return refuseVersion(verified.value.read, before, signed, now()) ?? verified;
  }

  /** With what contradicts other settings, which shows only beside them. */
  function judge({ read }: Verified, signed: Signed, terms: Terms, judged: Judged): Considered {
    const next = nextEnrolment(read, signed, terms, judged);
    const layer = layerOf(file, next, enrolment.here());
    if (layer === null) return { next, contradictions: [] };
    const { said, policyProblems } = store.considerProfile(layer);
    const meant = layer.entries.filter(holdingAt(judged.now));
    const givingWay = gaveWay(meant, profileIn(said.policies));
    return {
      next:
        givingWay.length === 0
          ? next
          : nextEnrolment(read, signed, terms, { ...judged, givingWay }),
      contradictions: policyProblems.filter((one) => one.file === file),
    };
  }

  /** Null: all of it holds. */
  function missingOf(
    { next, contradictions }: Considered,
    { read }: Verified,
    signed: Signed,
    judged: Judged & { terms: Terms },
  ): Result<never> | null {
    const problems = [...read.problems, ...contradictions];
    if (next.waiting.length + problems.length === 0) return null;
    const { terms } = judged;
    const missing = missingGrants((more) => {
      const grants = [...terms.grants, ...more];
      return nextEnrolment(read, signed, { ...terms, grants }, judged).waiting;
    });
    return notAll(
      next,
      missing.map(({ grant }) => grant),
      problems.map(sayProblem),
    );
  }

  async function bring(next: Enrolment, { read, key }: Verified, to: Terms): Promise<Changed> {
    const contradicting = await bringIntoForce(next, parts);
    if (!contradicting.ok) return contradicting;
    trial.lookSoon();
    const { problems } = read;
    const { id, serial, waiting } = next;
    const described = describe(next, read, enrolment.here());
    const { nextFingerprint } = described;
    if (next.nextKey !== to.nextKey && nextFingerprint !== null)
      journal.note('profile-key-announced', { id, serial, fingerprint: nextFingerprint });
    if (key !== to.key) journal.note('profile-key-changed', { id, serial });
    journal.note('profile-accepted', {
      id,
      serial,
      settings: described.settings,
      waiting: waiting.map((entry) => entry.key),
    });
    return succeed({
      profile: besideWhatHolds(described, { enrolment, store, now }),
      problems: [...problems.map(sayProblem), ...contradicting.value],
    });
  }

  return async (signed, { to, before, approved = false, require = false }) => {
    const verified = verify(signed, to, before);
    if (!verified.ok) return verified;
    const without = store.withoutProfile();
    if (without === null) return unjudged();
    const terms = { ...to, key: verified.value.key };
    const judged = { before, approved, without, now: now(), terms };
    const considered = judge(verified.value, signed, terms, judged);
    const missing = require ? missingOf(considered, verified.value, signed, judged) : null;
    return missing ?? (await bring(considered.next, verified.value, to));
  };
}

function notAll(
  { waiting }: Enrolment,
  missing: readonly (string | null)[],
  problems: readonly string[],
): Result<never> {
  const allow = everyGrant.filter((grant) => missing.includes(grant));
  const keys = [...new Set(waiting.map(({ key }) => key))];
  return fail(
    'profile-waits',
    [...problems, ...(keys.length === 0 ? [] : [`these would wait: ${keys.join(', ')}`])].join(
      '; ',
    ),
    allow.length === 0
      ? 'have the version corrected, or do without "--require"'
      : `leave, and enrol with --allow ${allow.join(',')} beside what is allowed; or do without "--require"`,
  );
}

/** For the journal; what did not come at all is no news there. */
export function tellRefusal(
  { journal }: Pick<AcceptParts, 'journal'>,
  by: Parameters<typeof refusedVersion>[0],
  outcome: Result<unknown>,
): void {
  if (outcome.ok) return;
  const { failure } = outcome;
  const note = refusedVersion(by, failure);
  const isOfFile = failure.code === 'profile-refused' && failure.subject !== null;
  if (note?.[0] === 'profile-refused')
    journal.note('profile-refused', {
      ...note[1],
      ...(isOfFile ? { why: 'the file has an error' } : {}),
    });
  if (failure.code === 'profile-not-yet')
    journal.note('profile-not-yet', { by, why: failure.message });
}
