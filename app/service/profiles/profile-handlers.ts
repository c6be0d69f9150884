/** The contract's methods `profile.*`: a version is judged, brought into force, and only then kept. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Params, ServiceHandlers } from '../../contract/service-api.ts';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import { settingKeys } from '../../contract/settings/settings.ts';
import type { InOrder } from '../base/in-order.ts';
import type { Journal } from '../logging/journal.ts';
import { unknownSetting } from '../settings/settings-editor.ts';
import { type SettingsStore, sayProblem } from '../settings/settings-store.ts';
import { bringIntoForce, type ForceParts, unjudged } from './bring-into-force.ts';
import type { Delivery } from './delivery/delivery.ts';
import { hasFingerprint, type Visit } from './delivery/visit.ts';
import { besideWhatHolds, describe, describeEnrolled } from './describe-enrolled.ts';
import { type Enrolment, keysOf } from './enrolment.ts';
import {
  refused,
  refuseVersion,
  type Signed,
  type Verified,
  verifyVersion,
} from './judge-version.ts';
import { nextEnrolment, noTerms, type Terms } from './next-enrolment.ts';
import { statedLayers } from './stated-layers.ts';
import type { Trial } from './trial/trial.ts';

export interface ProfileParts extends ForceParts {
  store: ForceParts['store'] & Pick<SettingsStore, 'layers' | 'withoutProfile' | 'own'>;
  /** shared with whatever else changes what is in force */
  inTurn: InOrder;
  journal: Journal;
  delivery: Pick<Delivery, 'status' | 'look' | 'lookSoon' | 'forget'>;
  trial: Pick<Trial, 'lookSoon'>;
  /** what lies at a source now, and its key */
  visit: Visit;
  now(): number;
}

export type ProfileHandlers = Omit<
  Pick<ServiceHandlers, Extract<keyof ServiceHandlers, `profile.${string}`>>,
  'profile.simulate'
>;
type Changed = Result<{ profile: EnrolledProfile; problems: string[] }>;

export function createProfileHandlers(parts: ProfileParts): {
  methods: ProfileHandlers;
  update(signed: Signed): Promise<Changed>;
} {
  const { enrolment, file, store, journal, inTurn, delivery, trial, now } = parts;

  /** `before`: null where the machine is not enrolled yet. */
  async function accept(
    signed: Signed,
    to: Terms,
    before: Enrolment | null,
    approved: boolean,
  ): Promise<Changed> {
    const verified = verify(signed, to, before);
    if (!verified.ok) return verified;
    const { read, key } = verified.value;
    const without = store.withoutProfile();
    if (without === null) return unjudged();
    const judged = { before, approved, without, now: now() };
    const next = nextEnrolment(read, signed, { ...to, key }, judged);
    const contradicting = await bringIntoForce(next, parts);
    if (!contradicting.ok) return contradicting;
    trial.lookSoon();
    const { profile, problems } = read;
    const described = describe(next, profile, enrolment.here());
    if (key !== to.key) journal.note('profile-key-changed', { id: next.id, serial: next.serial });
    journal.note('profile-accepted', {
      id: next.id,
      serial: next.serial,
      settings: described.settings,
      waiting: next.waiting.map((entry) => entry.key),
    });
    return succeed({
      profile: besideWhatHolds(described, store.current().values),
      problems: [...problems.map(sayProblem), ...contradicting.value],
    });
  }

  function verify(signed: Signed, to: Terms, before: Enrolment | null): Result<Verified> {
    const verified = verifyVersion(signed, keysOf(to), file);
    if (!verified.ok) return verified;
    return refuseVersion(verified.value.read, before, signed, now()) ?? verified;
  }

  const noSource = () =>
    fail(
      'profile-unreachable',
      'nothing says where later versions come from',
      'bring one: sotto profile update FILE; or leave, and enrol with an address',
    );

  const notEnrolled = () =>
    fail('no-profile', 'this machine is enrolled in no profile', 'see: sotto profile enrol --help');

  async function enrol({ profile, signature, ...wanted }: Enrolling): Promise<Changed> {
    const present = enrolment.current();
    if (present !== null)
      return refused(
        `this machine is enrolled in "${present.id}" already`,
        'one organisation decides at a time: leave it first, with sotto profile leave',
      );
    const terms = { ...noTerms, ...wanted, enrolledAt: now() };
    return await accept({ profile, signature }, terms, null, false);
  }

  async function enrolFrom(given: EnrollingFrom): Promise<Changed> {
    const { source, address = null, ring = null, grants, fingerprint } = given;
    const found = await parts.visit({ source, address, key: given.key ?? null, fingerprint });
    if (!found.ok) return found;
    const { version, key } = found.value;
    const changed = await inTurn(() => enrol({ ...version, key, grants, ring, source, address }));
    if (changed.ok) delivery.lookSoon();
    return changed;
  }

  async function update(signed: Signed): Promise<Changed> {
    const before = enrolment.current();
    return before === null ? notEnrolled() : await accept(signed, before, before, false);
  }

  const updateInTurn = (signed: Signed) => inTurn(() => update(signed));

  function shown(): EnrolledProfile | null {
    const profile = describeEnrolled(enrolment);
    return profile === null ? null : besideWhatHolds(profile, store.current().values);
  }

  async function look(): Promise<Changed> {
    const enrolled = enrolment.current();
    if (enrolled === null) return notEnrolled();
    if (enrolled.source === null) return noSource();
    const looked = await delivery.look();
    if (!looked.ok) return looked;
    const profile = shown();
    const { problems } = looked.value;
    return profile === null ? notEnrolled() : succeed({ profile, problems });
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
    const left = await bringIntoForce(null, parts);
    if (!left.ok) return left;
    delivery.forget();
    journal.note('profile-left', { id: before.id, serial: before.serial });
    return succeed({ id: before.id });
  }

  const methods: ProfileHandlers = {
    'profile.show': () => succeed({ profile: shown(), delivery: delivery.status() }),
    'profile.enrol': async (given) => {
      if ('source' in given) return await enrolFrom(given);
      const { ring = null, fingerprint, ...wanted } = given;
      if (fingerprint !== undefined && !hasFingerprint(wanted.key, fingerprint)) return otherKey;
      return await inTurn(() => enrol({ ...wanted, ring }));
    },
    'profile.update': (given) => (isSigned(given) ? updateInTurn(given) : look()),
    'profile.approve': ({ serial }) => inTurn(() => approve(serial)),
    'profile.leave': () => inTurn(leave),
    'profile.effective': ({ key }) => {
      if (key !== undefined && !settingKeys.some((one) => one === key)) return unknownSetting(key);
      const stated = { own: store.own(), layers: store.layers(), effective: store.current() };
      const settings = statedLayers(stated);
      return succeed({ settings: settings.filter((one) => key === undefined || one.key === key) });
    },
  };
  return { methods, update: updateInTurn };
}

const otherKey = fail(
  'fingerprint-differs',
  'the key has another fingerprint than the one that was given',
  'do not use it; ask the organisation for key and fingerprint once more',
);

const isSigned = (given: Params<'profile.update'>): given is Signed => 'profile' in given;

type EnrollingFrom = Extract<Params<'profile.enrol'>, { source: string }>;

type Enrolling = Signed & Pick<Terms, 'key' | 'grants'> & Partial<Terms>;
