/** Whose profile this is: its key, its version, how long it is valid, and where later ones come from. */
import { fingerprintGroups } from '../../../app/contract/settings/fingerprint.ts';
import type {
  DeliveryStatus,
  EnrolledProfile,
} from '../../../app/contract/settings/profile-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Chip } from '../../components/chip.tsx';
import { Facts } from '../../components/page-body.tsx';
import { useNow } from '../../state/now.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import { nameOfSetting } from './declared.ts';
import styles from './profiles.module.css';
import type { KnownProfile } from './use-profile.ts';

interface OrganisationFactsProps {
  profile: EnrolledProfile;
  delivery: DeliveryStatus | null;
  known: KnownProfile;
}

export function OrganisationFacts({ profile, delivery, known }: OrganisationFactsProps) {
  return <Facts of={useFacts(profile, delivery, known)} />;
}

function useFacts(
  profile: EnrolledProfile,
  delivery: DeliveryStatus | null,
  { declared }: KnownProfile,
): (readonly [string, React.ReactNode])[] {
  const spoken = useWords();
  const now = useNow();
  const { text, formats } = spoken;
  const words = text.profiles;
  const { serial, acceptedAt, id, fingerprint, nextFingerprint, grants, source, ring } = profile;
  const { kept, gaveWay, takeWithoutRoutes } = profile;
  const namesOf = (keys: readonly string[]) =>
    formats.list(keys.map((key) => nameOfSetting(key, declared, spoken)));
  return [
    [
      words.facts.version,
      words.facts.taken(formats.count(serial), formats.moment(acceptedAt, now)),
    ],
    [words.facts.identifier, <code key="id">{safe(id)}</code>],
    [words.facts.valid, <Validity key="valid" profile={profile} now={now} />],
    [words.facts.fingerprint, <Fingerprint key="key" of={fingerprint} />],
    ...(nextFingerprint === null
      ? []
      : [[words.facts.nextFingerprint, <Fingerprint key="next" of={nextFingerprint} />] as const]),
    [words.facts.allowed, <Allowed key="allowed" grants={grants} />],
    [
      words.facts.source,
      source === null ? words.facts.byHand : <code key="source">{safe(source)}</code>,
    ],
    ...(delivery === null
      ? []
      : [[words.facts.looked, <Looked key="looked" of={delivery} now={now} />] as const]),
    ...(ring === null ? [] : [[words.facts.ring, safe(ring)] as const]),
    ...(kept.length === 0
      ? []
      : [[words.facts.kept, words.facts.keptMeans(namesOf(kept))] as const]),
    ...(gaveWay.length === 0
      ? []
      : [[words.facts.gaveWay, words.facts.gaveWayMeans(namesOf(gaveWay))] as const]),
    ...(takeWithoutRoutes === 'no'
      ? []
      : [[words.facts.systemDns, words.facts.takes[takeWithoutRoutes]] as const]),
  ];
}

function Allowed({ grants }: Pick<EnrolledProfile, 'grants'>) {
  const { text } = useWords();
  const words = text.profiles;
  if (grants.length === 0) return words.facts.nothing;
  return (
    <ul>
      {grants.map((grant) => (
        <li key={grant}>{words.grants[grant]}</li>
      ))}
    </ul>
  );
}

/** Groups of four digits, for reading aloud; a screen reader says the digits one by one. */
function Fingerprint({ of: fingerprint }: { of: string }) {
  return (
    <span className={styles.fingerprint}>
      {fingerprintGroups(fingerprint).map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups of one fingerprint never change places
        <span key={at}>{group} </span>
      ))}
    </span>
  );
}

function Validity({ profile, now }: { profile: EnrolledProfile; now: number }) {
  const spoken = useWords();
  const { text } = spoken;
  const words = text.profiles;
  const { notAfter } = profile;
  if (notAfter === null || notAfter > now) return sayValidity(profile, spoken);
  return (
    <>
      <Chip tone="exposed">{words.outOfDate}</Chip>{' '}
      {words.facts.ended(spoken.formats.dateAndMinute(notAfter))}
    </>
  );
}

function sayValidity(
  { notBefore, notAfter }: Pick<EnrolledProfile, 'notBefore' | 'notAfter'>,
  { text, formats }: Words,
): string {
  const words = text.profiles;
  const [from, until] = [notBefore, notAfter].map((time) =>
    time === null ? null : formats.dateAndMinute(time),
  );
  if (from == null) return until == null ? words.facts.validAlways : words.facts.validUntil(until);
  return until == null ? words.facts.validFrom(from) : words.facts.validFromUntil(from, until);
}

function Looked({ of, now }: { of: DeliveryStatus; now: number }) {
  const { text, formats } = useWords();
  const words = text.profiles;
  const { lookedAt, problem, isRefused, notYet } = of;
  if (lookedAt === null) return words.looked.never;
  const ago = formats.ago(now - lookedAt);
  if (problem === null && notYet === null) return words.looked.fine(ago);
  if (problem === null)
    return (
      <>
        {words.looked.notYet} <span lang="en">{safe(notYet ?? '')}</span>
      </>
    );
  return (
    <>
      {isRefused ? words.looked.refused(ago) : words.looked.vain(ago)}{' '}
      <span lang="en">{safe(problem)}</span>
    </>
  );
}
