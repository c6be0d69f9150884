/** What a person must know of this machine's profile: it is out of date, rests here, or some of it waits. Pure. */
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';

type Code = 'profile-expired' | 'profile-rests' | 'profile-waits';

type Judged = Pick<EnrolledProfile, 'id' | 'issuer' | 'serial' | 'notAfter' | 'standsIn'> & {
  waiting: readonly { key: string }[];
};

/** Code to subject to detail. */
export function profileHealth(profile: Judged | null, now: number): Map<Code, Map<string, Said[]>> {
  const told = new Map<Code, Map<string, Said[]>>([
    ['profile-expired', new Map()],
    ['profile-rests', new Map()],
    ['profile-waits', new Map()],
  ]);
  if (profile === null) return told;
  const { id, issuer, serial, notAfter, waiting, standsIn } = profile;
  if (notAfter !== null && notAfter < now)
    told.get('profile-expired')?.set(id, [say('profile-was-until', { issuer, serial, notAfter })]);
  if (standsIn !== null)
    told.get('profile-rests')?.set(id, [say('profile-stands-in', { issuer, serial, standsIn })]);
  if (waiting.length > 0) {
    const settings = waiting.map(({ key }) => key).join(', ');
    told.get('profile-waits')?.set(id, [say('profile-wants', { issuer, serial, settings })]);
  }
  return told;
}
