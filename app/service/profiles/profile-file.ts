/**
 * A profile: what an organisation wants of every machine, one file with the entries of a policy and the facts that say whose it
 * is, which one, and when it holds.
 *   { "id": "example-corp", "serial": 7, "issuer": "Example Corp", "name": "Laptops", "settings": { … } }
 * A key with an error is told, and the others are read.
 */
import { z } from 'zod';
import {
  matchText,
  type NetworkMatch,
  networkMatch,
} from '../../contract/settings/network-match.ts';
import { type ProfileFacts, profileFacts } from '../../contract/settings/profile.ts';
import type { Path } from '../../contract/settings/validation-issues.ts';
import { asText, type PolicyEntry, readEntries, sayIssues } from '../settings/policy-file.ts';
import {
  mostProblems,
  type ParsedText,
  type Problem,
  parseSettingsText,
} from '../settings/settings-text.ts';

export interface Profile extends Omit<ProfileFacts, 'settings' | 'networks'> {
  entries: PolicyEntry[];
  networks: ProfileNetwork[];
}

/** What holds otherwise on one network. */
export interface ProfileNetwork extends Pick<ProfileRead, 'unread' | 'unreadLocks'> {
  match: NetworkMatch;
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

/**
 * The same of a signed version in base64. The last one is remembered: what was verified is described, and shown again and again.
 * `file`: null where nobody is told of problems.
 */
export function readSigned(file: string | null, base64: string): ProfileRead {
  const isKnown = lastSigned?.base64 === base64 && (file === null || lastSigned.file === file);
  if (lastSigned === null || !isKnown)
    lastSigned = { file, base64, read: readProfile(file ?? '', Buffer.from(base64, 'base64')) };
  return lastSigned.read;
}

let lastSigned: { file: string | null; base64: string; read: ProfileRead } | null = null;

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
  const { settings, networks: given = [], ...facts } = outer.data;
  const late = outOfOrder(facts, parsed);
  if (late.length > 0) return nothing(late);
  const { entries, ...faults } = readEntries(settings, parsed);
  const networks = given.map((one, position) => readNetwork(one, parsed, ['networks', position]));
  const twice = meantTwice(networks, parsed);
  return {
    profile: { ...facts, entries, networks: networks.flatMap(({ network }) => network ?? []) },
    ...faults,
    problems: [...faults.problems, ...networks.flatMap(({ problems }) => problems), ...twice].slice(
      0,
      mostProblems,
    ),
  };
}

const networkShape = z.strictObject({
  match: networkMatch,
  settings: z.record(z.string(), z.unknown()),
});

function readNetwork(
  raw: unknown,
  parsed: ParsedText,
  at: Path,
): { network: ProfileNetwork | null; problems: Problem[] } {
  const outer = networkShape.safeParse(raw);
  if (!outer.success) return { network: null, problems: sayIssues(outer.error, parsed, at) };
  const { match, settings } = outer.data;
  const { problems, ...read } = readEntries(settings, parsed, [...at, 'settings']);
  return { network: { match, ...read }, problems };
}

function meantTwice(
  networks: readonly { network: ProfileNetwork | null }[],
  parsed: ParsedText,
): Problem[] {
  const texts = networks.map(({ network }) => network && matchText(network.match));
  return texts.flatMap((text, position) =>
    text !== null && texts.indexOf(text) < position
      ? [parsed.problem(['networks', position, 'match'], 'an earlier one means the same network')]
      : [],
  );
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
