/** The contract's methods `profile.*`: a version is judged, brought into force, and only then kept. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Params, ServiceHandlers } from '../../contract/service-api.ts';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import { settingKeys } from '../../contract/settings/settings.ts';
import type { InOrder } from '../base/in-order.ts';
import type { Journal } from '../logging/journal.ts';
import { unknownSetting } from '../settings/settings-editor.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { type AcceptParts, type Changed, createAccept, tellRefusal } from './accept-version.ts';
import { bringIntoForce } from './bring-into-force.ts';
import type { Delivery } from './delivery/delivery.ts';
import { hasFingerprint, type Visit } from './delivery/visit.ts';
import { besideWhatHolds, describeEnrolled } from './describe-enrolled.ts';
import { refused, type Signed } from './judge-version.ts';
import { noTerms, type Terms } from './next-enrolment.ts';
import { statedLayers } from './stated-layers.ts';

export interface ProfileParts extends AcceptParts {
  store: AcceptParts['store'] & Pick<SettingsStore, 'layers' | 'own'>;
  /** shared with whatever else changes what is in force */
  inTurn: InOrder;
  journal: Journal;
  delivery: Pick<Delivery, 'status' | 'look' | 'lookSoon' | 'forget'>;
  /** what lies at a source now, and its key */
  visit: Visit;
}

export type ProfileHandlers = Omit<
  Pick<ServiceHandlers, Extract<keyof ServiceHandlers, `profile.${string}`>>,
  'profile.simulate'
>;

export function createProfileHandlers(parts: ProfileParts): {
  methods: ProfileHandlers;
  update(signed: Signed): Promise<Changed>;
} {
  const { enrolment, store, journal, inTurn, delivery, now } = parts;
  const accept = createAccept(parts);

  const noSource = () =>
    fail(
      'profile-unreachable',
      'nothing says where later versions come from',
      'bring one: sotto profile update FILE; or leave, and enrol with an address',
    );

  const notEnrolled = () =>
    fail('no-profile', 'this machine is enrolled in no profile', 'see: sotto profile enrol --help');

  async function enrol({ profile, signature, require, ...wanted }: Enrolling): Promise<Changed> {
    const present = enrolment.current();
    if (present !== null)
      return refused(
        `this machine is enrolled in "${present.id}" already`,
        'one organisation decides at a time: leave it first, with sotto profile leave',
      );
    const terms = { ...noTerms, ...wanted, enrolledAt: now() };
    return await accept({ profile, signature }, { to: terms, before: null, require });
  }

  async function enrolFrom(given: EnrollingFrom): Promise<Changed> {
    const { source, address = null, ring = null, grants, fingerprint, require } = given;
    const found = await parts.visit({ source, address, key: given.key ?? null, fingerprint });
    if (!found.ok) return found;
    const { version, key } = found.value;
    const terms = { key, grants, ring, source, address };
    const changed = await inTurn(() => enrol({ ...version, ...terms, require }));
    if (changed.ok) delivery.lookSoon();
    return changed;
  }

  async function update(signed: Signed, require?: boolean): Promise<Changed> {
    const before = enrolment.current();
    if (before === null) return notEnrolled();
    return await accept(signed, { to: before, before, require });
  }

  const updateInTurn = (signed: Signed, require?: boolean) => inTurn(() => update(signed, require));

  function shown(): EnrolledProfile | null {
    const profile = describeEnrolled(enrolment);
    return profile === null ? null : besideWhatHolds(profile, parts);
  }

  async function look(): Promise<Changed> {
    const enrolled = enrolment.current();
    if (enrolled === null) return notEnrolled();
    if (enrolled.source === null) return noSource();
    const looked = await delivery.look();
    if (!looked.ok) return looked;
    const profile = shown();
    const { problems, notYet } = looked.value;
    const said = notYet === null ? { problems } : { problems, notYet };
    return profile === null ? notEnrolled() : succeed({ profile, ...said });
  }

  async function approve(serial: number): Promise<Changed> {
    const before = enrolment.current();
    if (before === null) return notEnrolled();
    if (before.serial !== serial)
      return refused(
        `the present version has the serial ${before.serial}, not ${serial}`,
        'look at what waits now: sotto profile status',
      );
    return await accept(before, { to: before, before, approved: true });
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

  async function enrolEither(given: Params<'profile.enrol'>): Promise<Changed> {
    if ('source' in given) return await enrolFrom(given);
    const { ring = null, fingerprint, ...wanted } = given;
    if (fingerprint !== undefined && !hasFingerprint(wanted.key, fingerprint)) return otherKey;
    return await inTurn(() => enrol({ ...wanted, ring }));
  }

  async function told(by: 'enrol' | 'update' | 'approve', outcome: Promise<Changed>) {
    tellRefusal(parts, by, await outcome);
    return await outcome;
  }

  const methods: ProfileHandlers = {
    'profile.show': () => succeed({ profile: shown(), delivery: delivery.status() }),
    'profile.enrol': (given) => told('enrol', enrolEither(given)),
    // Without a version the service looks at the source: then the delivery tells.
    'profile.update': (given) =>
      isSigned(given) ? told('update', updateInTurn(given, given.require)) : look(),
    'profile.approve': ({ serial }) =>
      told(
        'approve',
        inTurn(() => approve(serial)),
      ),
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

const isSigned = (
  given: Params<'profile.update'>,
): given is Extract<Params<'profile.update'>, Signed> => 'profile' in given;

type EnrollingFrom = Extract<Params<'profile.enrol'>, { source: string }>;

type Enrolling = Signed &
  Pick<Terms, 'key' | 'grants'> &
  Partial<Terms> &
  Pick<EnrollingFrom, 'require'>;
