/** The profile of this machine in lines: whose it is, what of it holds and what waits, and what each layer says. */
import type { ResultOf } from '../../contract/service-api.ts';
import { sayFingerprint } from '../../contract/settings/fingerprint.ts';
import type {
  EnrolledProfile,
  StatedLayer,
  WaitingSetting,
} from '../../contract/settings/profile-methods.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';

export function sayAccepted({ profile, problems, notYet }: ResultOf<'profile.update'>): string[] {
  const { serial } = profile;
  return [
    ...problems.map((one) => `! ${safe(one)}`),
    ...sayProfile(profile),
    ...(notYet === undefined ? [] : [`  later    a version was not taken: ${safe(notYet)}`]),
    ...(isUnsafe(profile)
      ? [
          `${takes[profile.takeWithoutRoutes]} Let this version do what waits: sotto profile approve ${serial}; or leave, and enrol with --allow.`,
        ]
      : []),
  ];
}

const takes: Record<EnrolledProfile['takeWithoutRoutes'], string> = {
  no: '',
  waits: "The system's DNS was not taken.",
  holds: "The system's DNS is taken, and names go where they went before this version.",
};

/** The system's DNS is taken, or waits to be, and what says where internal names go does not hold. */
export function isUnsafe({ takeWithoutRoutes }: EnrolledProfile): boolean {
  return takeWithoutRoutes !== 'no';
}

export function isPartial({ waiting, kept, gaveWay, standsIn }: EnrolledProfile): boolean {
  return waiting.length + kept.length + gaveWay.length > 0 || standsIn !== null;
}

export function sayProfile(profile: EnrolledProfile): string[] {
  const { id, serial, issuer, name, fingerprint, notAfter, settings, waiting, kept } = profile;
  const { nextFingerprint, source, standsIn, gaveWay } = profile;
  return [
    `"${safe(name)}" of ${safe(issuer)} (${safe(id)}, serial ${serial})`,
    `  key      ${sayFingerprint(fingerprint)}`,
    ...(nextFingerprint === null ? [] : [`  next key ${sayFingerprint(nextFingerprint)}`]),
    `  allowed  ${profile.grants.length === 0 ? 'to loosen nothing' : `to loosen ${profile.grants.join(', ')}`}`,
    ...(source === null ? [] : [`  source   ${safe(source)}`]),
    ...sayRollout(profile),
    ...(notAfter === null ? [] : [`  valid    until ${dayAndMinute(notAfter)}`]),
    ...profile.networks.map(sayNetwork),
    ...(standsIn === null
      ? []
      : [
          `  here     serial ${standsIn} stands in: the upstreams of this version do not authenticate`,
        ]),
    `  settings ${settings.length === 0 ? 'none' : settings.map(safe).join(', ')}`,
    ...(kept.length === 0
      ? []
      : [`  kept     ${kept.map(safe).join(', ')}: not readable now, so the version before holds`]),
    ...(gaveWay.length === 0
      ? []
      : [
          `  not      ${gaveWay.map(safe).join(', ')}: it contradicts other settings of this machine, which hold; see: sotto status`,
        ]),
    ...waiting.map((one) => `  waits    ${sayWaiting(one, serial)}`),
  ];
}

/** The ring of this machine, and for which machines the version is. */
function sayRollout({ ring, rollout }: EnrolledProfile): string[] {
  const { ring: of, percent } = rollout;
  const parts = [
    ...(of === undefined ? [] : [`the ring "${of}"`]),
    ...(percent === undefined ? [] : [`${percent} % of the machines`]),
  ];
  const elsewhere = of !== undefined && of !== ring ? ' (this machine is not in it)' : '';
  return [
    ...(ring === null ? [] : [`  ring     ${safe(ring)}`]),
    ...(parts.length === 0 ? [] : [`  for      ${safe(parts.join(', '))}${elsewhere}`]),
  ];
}

function sayNetwork({ match, fits, settings }: EnrolledProfile['networks'][number]): string {
  const here = { no: '', unconfirmed: ' (this one, as it seems)', yes: ' (this one)' }[fits];
  return `  network  ${safe(match)}${here}: ${settings.map(safe).join(', ')}`;
}

function sayWaiting(waiting: WaitingSetting, serial: number): string {
  const { key, network, wanted, holds } = waiting;
  const wish = wanted === null ? 'nothing any more' : sayWanted(wanted, holds);
  const what = `${key}${network === undefined ? '' : ` on the network "${network}"`}`;
  return `${safe(what)}: it wants ${wish}, and ${shortly(holds)} holds: ${safe(sayWhy(waiting, serial))}`;
}

/** Lock and end as well, where they may be all that is otherwise. */
function sayWanted(
  { value, lock, until }: NonNullable<WaitingSetting['wanted']>,
  holds: unknown,
): string {
  const isSame = JSON.stringify(value) === JSON.stringify(holds);
  const how = { locked: ', locked', hidden: ', locked', default: isSame ? ', not locked' : '' };
  const end = until === null ? '' : ` (until ${dayAndMinute(until)})`;
  return `${shortly(value)}${how[lock]}${end}`;
}

function sayWhy({ grant, network, behind }: WaitingSetting, serial: number): string {
  if (behind !== undefined)
    return `"${behind}" has to hold first, or internal names would go to another upstream; sotto profile approve ${serial}`;
  if (grant !== null)
    return `it would loosen protection ("${grant}"); sotto profile approve ${serial}`;
  return network === undefined
    ? 'no profile may do this, a policy of this machine can'
    : 'no profile may do this for one network';
}

const longestValue = 80;

/** A list may have thousands of names. */
function shortly(value: unknown): string {
  const text = safe(JSON.stringify(value));
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

export function sayDelivery(delivery: ResultOf<'profile.show'>['delivery']): string[] {
  if (delivery === null) return [];
  const { lookedAt, problem, notYet } = delivery;
  const looked = lookedAt === null ? 'not yet since the start' : dayAndMinute(lookedAt);
  return [
    `  looked   ${looked}${problem === null ? '' : `: ${safe(problem)}`}`,
    ...(notYet === null ? [] : [`  later    a version was not taken: ${safe(notYet)}`]),
  ];
}

export function sayLayer(stated: StatedLayer): string {
  const { layer, name, file, value, lock, reason, until, inForce } = stated;
  const who = [layer, name === null ? '' : `"${name}"`, file ?? ''].filter(Boolean).join(' ');
  const how = lock === null || lock === 'default' ? '' : `, ${lock}`;
  const why = reason === null ? '' : `: ${reason}`;
  const end = until === null ? '' : ` (until ${dayAndMinute(until)})`;
  return `  ${inForce ? '→' : ' '} ${safe(`${who}${how}${why}`)}${end}  ${safe(JSON.stringify(value))}`;
}
