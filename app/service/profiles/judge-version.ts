/** Whether a version of a profile may come: its signature first, then what it says of itself. Pure. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Rollout } from '../../contract/settings/profile.ts';
import { sayProblem } from '../settings/settings-store.ts';
import type { Enrolment } from './enrolment.ts';
import { judgeSignature, readPublicKey, readSignature } from './minisign.ts';
import { type Profile, type ProfileRead, readSigned } from './profile-file.ts';

export interface Signed {
  /** the octets of the file in base64 */
  profile: string;
  /** as minisign writes it */
  signature: string;
}

export type WholeRead = ProfileRead & { profile: Profile };

export interface Verified {
  read: WholeRead;
  /** the one of `keys` that signed it */
  key: string;
}

/** The signature first: nothing of a file that somebody else may have written is read before. */
export function verifyVersion(
  signed: Signed,
  keys: readonly string[],
  file: string,
): Result<Verified> {
  const signer = signerOf(signed, keys);
  if (signer.verdict !== 'valid') return refused(signer.message, signer.remedy);
  const read = readVersion(file, signed.profile);
  return read.ok ? succeed({ read: read.value, key: signer.key }) : read;
}

type Signer =
  | { verdict: 'valid'; key: string }
  | { verdict: 'none' | 'other-key' | 'changed'; message: string; remedy: string };

/** Which of the keys signed it; without its octets, whether any of them may have. */
export function signerOf({ profile, signature }: Signed, keys: readonly string[]): Signer {
  const octets = Buffer.from(profile, 'base64');
  const signed = readSignature(signature);
  const verdict = 'none';
  if (signed === null)
    return {
      ...{
        verdict,
        message: signature === '' ? 'it has no signature' : 'the signature is not one',
      },
      remedy: 'give FILE.minisig as it was made',
    };
  const known = keys.flatMap((text) => {
    const key = readPublicKey(text);
    return key === null ? [] : [{ text, verdict: judgeSignature(octets, signed, key) }];
  });
  if (known.length === 0)
    return {
      ...{ verdict, message: 'the public key is not one' },
      remedy: 'give NAME.pub of the issuer',
    };
  const signer = known.find((one) => one.verdict === 'valid');
  if (signer !== undefined) return { verdict: 'valid', key: signer.text };
  const remedy = 'do not use it; ask whoever made it';
  return known.every((one) => one.verdict === 'other-key')
    ? {
        ...{ verdict: 'other-key', remedy },
        message: 'another key signed it than the one that this machine trusts',
      }
    : { verdict: 'changed', message: 'it is not what was signed', remedy };
}

/** What a version in base64 says, whoever signed it. */
export function readVersion(file: string, base64: string): Result<WholeRead> {
  const found = readSigned(file, base64);
  const { profile, problems } = found;
  const isRefused = profile === null || (profile.strict === true && problems.length > 0);
  if (profile === null || isRefused)
    return fail(
      'profile-refused',
      problems.map(sayProblem).join('\n'),
      'have it corrected and signed again; the version before holds',
      file,
    );
  return succeed({ ...found, profile });
}

/** Null: it may come. The same octets may come again. */
export function refuseVersion(
  { profile }: WholeRead,
  before: Enrolment | null,
  signed: Signed,
  now: number,
): Result<never> | null {
  const { id, serial, notBefore } = profile;
  if (notBefore !== undefined && Date.parse(notBefore) > now)
    return fail(
      'profile-not-yet',
      `it holds from ${notBefore} on`,
      'try again then, or check the clock',
    );
  if (before === null) return null;
  if (id !== before.id)
    return refused(
      `it is the profile "${id}", and this machine has "${before.id}"`,
      'leave that one first',
    );
  const isSame = signed.profile === before.profile;
  if (serial < before.serial || (serial === before.serial && !isSame))
    return refused(
      `its serial ${serial} does not come after ${before.serial}`,
      'an old version never comes back: have a new one made with a larger serial',
    );
  return isSame ? null : outsideRollout(profile.rollout ?? {}, before);
}

/** Whoever enrols a machine wants the version that there is, so its rollout counts for later versions only. */
function outsideRollout(
  { ring, percent = 100 }: Rollout,
  { ring: own, place }: Pick<Enrolment, 'ring' | 'place'>,
): Result<never> | null {
  const wait = 'nothing is to be done: the version before holds until one comes for this machine';
  if (ring !== undefined && ring !== own) {
    const have = own === null ? 'this machine is in none' : `this machine is in "${own}"`;
    return fail('profile-not-yet', `it is for the ring "${ring}", and ${have}`, wait);
  }
  if (place < percent) return null;
  return fail(
    'profile-not-yet',
    `it is for ${percent} % of the machines so far, and this one is not among them`,
    wait,
  );
}

/** Without versions of before; those that are not signed as they must be come last, where they are refused and told. */
export function newestFirst(
  versions: readonly Signed[],
  keys: readonly string[],
  leastSerial = 0,
): Signed[] {
  if (versions.length < 2) return [...versions];
  const known = versions.map((version) => {
    const verified = verifyVersion(version, keys, '');
    return { version, serial: verified.ok ? verified.value.read.profile.serial : null };
  });
  return known
    .filter(({ serial }) => serial === null || serial >= leastSerial)
    .sort((one, other) => (other.serial ?? -1) - (one.serial ?? -1))
    .map(({ version }) => version);
}

export function refused(message: string, remedy: string): ReturnType<typeof fail> {
  return fail('profile-refused', message, remedy);
}
