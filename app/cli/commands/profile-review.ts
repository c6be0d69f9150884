/** What an issuer looks at before signing: what is wrong or doubtful with a version, what it needs, and what it changes. */
import type { Grant } from '../../contract/settings/profile-methods.ts';
import { safe, safeJson } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: what these commands accept, a service accepts; none has to run.
import { type LintedProfile, lintProfile } from '../../service/profiles/before-signing/lint.ts';
import { doubtsAbout } from '../../service/profiles/before-signing/lint-doubts.ts';
import {
  type NeededGrants,
  neededGrants,
} from '../../service/profiles/before-signing/needed-grants.ts';
import { diffProfiles } from '../../service/profiles/before-signing/profile-diff.ts';
import type { MissingGrant } from '../../service/profiles/missing-grants.ts';
import type { Profile } from '../../service/profiles/profile-file.ts';
import type { Problem } from '../../service/settings/settings-text.ts';
// biome-ignore-end lint/style/noRestrictedImports: what these commands accept, a service accepts; none has to run.
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { sayChanges } from '../render/profile-changes.ts';
import { print } from '../terminal/print.ts';
import { readOctets } from './profile-files.ts';

export function lint(line: CommandLine, file: string, options: CommonOptions): void {
  const { profile, problems, loosening } = lintProfile(file, readOctets(file));
  const doubts = profile === null ? [] : doubtsAbout(file, profile, line.now());
  const needs = profile === null ? nothingNeeded : neededGrants(profile, null);
  const ok = problems.length === 0;
  if (doubts.length > 0) line.exitCode = exitCodes.failed;
  if (!ok) line.exitCode = exitCodes.usage;
  if (options.json) {
    line.terminal.out(safeJson({ file, ok, problems, doubts, loosening, needs }));
    return;
  }
  tellProblems(line, [...problems, ...doubts]);
  for (const said of sayNeeds(needs, 'is enrolled with it')) line.terminal.out(said);
  if (loosening.length > 0)
    line.terminal.out(`It loosens, compared with the defaults: ${loosening.map(safe).join(', ')}.`);
  if (profile === null || !ok) return;
  const how = doubts.length === 0 ? 'fine' : 'valid, but doubtful as told above';
  line.terminal.out(`${safe(file)} is ${how}: ${sayProfile(profile)}.`);
}

export function diff(
  line: CommandLine,
  before: string,
  after: string,
  options: CommonOptions,
): void {
  const [old, next] = [wholeProfile(line, before), wholeProfile(line, after)];
  if (old === null || next === null) return;
  const { facts, entries: changes } = diffProfiles(old, next);
  const needs = neededGrants(next, old);
  const serials = { before: old.serial, after: next.serial };
  print(line.terminal, options, { serials, facts, changes, needs }, () => [
    ...(next.serial > old.serial
      ? []
      : [`The serial does not grow (${old.serial}, ${next.serial}): no machine would take it.`]),
    ...sayChanges(facts, changes),
    ...sayNeeds(needs, 'has the one before'),
  ]);
}

const nothingNeeded: NeededGrants = { usually: [], whereStricter: [], takeWaits: false };

function sayNeeds({ usually, whereStricter, takeWaits }: NeededGrants, which: string): string[] {
  const grants = usually.flatMap(({ grant }) => grant ?? []);
  return [
    ...(grants.length === 0
      ? []
      : [
          `A machine that ${which} has to allow more: --allow ${grants.join(',')}; otherwise wait:`,
        ]),
    ...usually.map(sayNeed),
    ...(takeWaits ? ["Until they hold, the system's DNS is not taken."] : []),
    ...(whereStricter.length === 0
      ? []
      : ['Where the settings of a machine are stricter than as delivered, wait as well:']),
    ...whereStricter.map(sayNeed),
  ];
}

function sayNeed({ grant, settings }: MissingGrant): string {
  const names = settings.map(({ key, network }) =>
    safe(network === undefined ? key : `${key} on the network "${network}"`),
  );
  return `  ${`${sayGrant(grant)}`.padEnd(12)} ${names.join(', ')}`;
}

function sayGrant(grant: Grant | null): string {
  return grant ?? 'never (only a policy of the machine can do this)';
}

/** Null: it has errors, which are told. */
function wholeProfile(line: CommandLine, file: string): Profile | null {
  const linted = lintProfile(file, readOctets(file));
  if (linted.profile !== null && linted.problems.length === 0) return linted.profile;
  tellProblems(line, linted.problems);
  line.exitCode = exitCodes.usage;
  return null;
}

/** What is to be signed; null: it has errors. Both errors and doubts are told. */
export function tellLinted(line: CommandLine, file: string, octets: Buffer): Profile | null {
  const { profile, problems }: LintedProfile = lintProfile(file, octets);
  tellProblems(line, problems);
  if (profile === null || problems.length > 0) return null;
  tellProblems(line, doubtsAbout(file, profile, line.now()));
  return profile;
}

function tellProblems({ terminal }: CommandLine, problems: readonly Problem[]): void {
  for (const { file, line, path, reason } of problems) {
    const place = [file, line].filter((part) => part !== null).join(':');
    terminal.error(`${safe(place)}:${path === '' ? '' : ` ${safe(path)}:`} ${safe(reason)}`);
  }
}

export function sayProfile({ id, serial, issuer, name }: Profile): string {
  return `"${safe(name)}" of ${safe(issuer)} (${safe(id)}, serial ${serial})`;
}
