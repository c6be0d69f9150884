/**
 * A profile: what an organisation wants of every machine, one file with the entries of a policy and the facts that say whose it
 * is, which one, and when it holds.
 *   { "id": "example-corp", "serial": 7, "issuer": "Example Corp", "name": "Laptops", "settings": { … } }
 * A key with an error is told, and the others are read.
 */
import { type ProfileFacts, profileFacts } from '../../contract/settings/profile.ts';
import { asText, type PolicyEntry, readEntries, sayIssues } from '../settings/policy-file.ts';
import { type ParsedText, type Problem, parseSettingsText } from '../settings/settings-text.ts';

export interface Profile extends Omit<ProfileFacts, 'settings' | '$schema'> {
  entries: PolicyEntry[];
}

export interface ProfileRead {
  /** null: not even what the profile says of itself can be read */
  profile: Profile | null;
  problems: Problem[];
  /** keys whose entries can't be read, and those of them that may be locked */
  unread: string[];
  unreadLocks: string[];
}

/** A hundred thousand names of a bypass zone have some eight million. */
export const mostProfileOctets = 16_777_216;

const least = '{ "id": "…", "serial": 1, "issuer": "…", "name": "…", "settings": {} }';

/** `octets`: what was signed. */
export function readProfile(file: string, octets: Buffer): ProfileRead {
  const read = asText(octets);
  if ('reason' in read) return nothing([{ file, path: '', ...read }]);
  return readProfileText(file, read.text);
}

function readProfileText(file: string, text: string): ProfileRead {
  const parsed = parseSettingsText(file, text, least);
  if (parsed.problems.length > 0) return nothing(parsed.problems);
  const outer = profileFacts.safeParse(parsed.value);
  if (!outer.success) return nothing(sayIssues(outer.error, parsed, []));
  const { settings, $schema: _, ...facts } = outer.data;
  const late = outOfOrder(facts, parsed);
  if (late.length > 0) return nothing(late);
  const { entries, ...faults } = readEntries(settings, parsed);
  return { profile: { ...facts, entries }, ...faults };
}

function nothing(problems: Problem[]): ProfileRead {
  return { profile: null, problems, unread: [], unreadLocks: [] };
}

function outOfOrder({ notBefore, notAfter }: ProfileTimes, parsed: ParsedText): Problem[] {
  if (notBefore === undefined || notAfter === undefined) return [];
  return Date.parse(notBefore) < Date.parse(notAfter)
    ? []
    : [
        parsed.problem(
          ['notAfter'],
          'it is not after "notBefore", so the profile could never hold',
        ),
      ];
}

type ProfileTimes = Pick<ProfileFacts, 'notBefore' | 'notAfter'>;
