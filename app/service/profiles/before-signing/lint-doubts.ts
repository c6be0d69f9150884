/** What makes a version useless or dangerous although nothing in it is wrong. Pure. */
import { matchText } from '../../../contract/settings/network-match.ts';
import type { SettingKey } from '../../../contract/settings/settings.ts';
import { holdingAt, type PolicyEntry } from '../../settings/policy-file.ts';
import type { Problem } from '../../settings/settings-text.ts';
import { readPublicKey } from '../minisign.ts';
import type { Profile } from '../profile-file.ts';
import { entriesTogether } from './entries-together.ts';
import { contradictions } from './lint.ts';
import { neededGrants } from './needed-grants.ts';

export function doubtsAbout(file: string, profile: Profile, now: number): Problem[] {
  const facts = factDoubts(profile, now).map(([path, reason]) => ({
    ...{ file, path, line: null, reason },
  }));
  const { entries, networks, notBefore } = profile;
  const begins = Math.max(now, notBefore === undefined ? 0 : Date.parse(notBefore));
  return eachOnce([
    ...facts,
    ...endDoubts([...entries, ...networks.flatMap((one) => one.entries)], begins),
    ...entriesTogether(profile).flatMap(doubtsTogether),
    ...neverDoubts(profile),
    ...laterDoubts(file, profile, now),
  ]);
}

/** Of a policy of the machine; `beside`: what other layers that are as strong say. */
export function doubtsAboutPolicy(
  entries: readonly PolicyEntry[],
  beside: readonly PolicyEntry[],
  now: number,
): Problem[] {
  const [own] = entries.map((entry) => entry.problem([], '').file);
  const together = doubtsTogether([...entries, ...beside]).filter(({ file }) => file === own);
  return eachOnce([...endDoubts(entries, now), ...together]);
}

function eachOnce(doubts: readonly Problem[]): Problem[] {
  const said = doubts.map(({ path, reason }) => `${path} ${reason}`);
  return doubts.filter((_, position) => said.indexOf(said[position] ?? '') === position);
}

function doubtsTogether(entries: readonly PolicyEntry[]): Problem[] {
  return [...pauseDoubts(entries), ...takeDoubts(entries)];
}

type FactDoubt = [path: string, reason: string];

/** After it, no larger serial could be written. */
const lastSerials = Number.MAX_SAFE_INTEGER - 1000;

const leastPercent = 0.01;

function factDoubts(profile: Profile, now: number): FactDoubt[] {
  const { notAfter, rollout, nextKey, serial, entries, networks } = profile;
  const doubts: [boolean, string, string][] = [
    [
      notAfter !== undefined && Date.parse(notAfter) <= now,
      'notAfter',
      'it is in the past, so each machine asks for a new version at once; give a later time',
    ],
    [
      rollout?.percent === 0,
      'rollout.percent',
      'of 0 % no machine takes it, except those that are enrolled with it; give a larger share',
    ],
    [
      rollout?.percent !== undefined && rollout.percent > 0 && rollout.percent < leastPercent,
      'rollout.percent',
      'it is less than one machine of ten thousand, so hardly any takes it; give a larger share, such as 5 for 5 %',
    ],
    [
      nextKey !== undefined && readPublicKey(nextKey) === null,
      'nextKey',
      'it is no public key, so nothing could ever be signed with it; copy the second line of NAME.pub',
    ],
    [
      serial > lastSerials,
      'serial',
      'no machine that takes it could ever take another version; begin with small ones',
    ],
    [
      entries.length === 0 && networks.every((one) => one.entries.length === 0),
      'settings',
      'it says nothing of any setting, and takes back what the version before said',
    ],
    ...networks.map((one, index): [boolean, string, string] => [
      one.match.prefix?.endsWith('/0') === true,
      `networks[${index}].match.prefix`,
      'it fits every network; write what holds everywhere into "settings"',
    ]),
  ];
  return doubts.flatMap(([isSo, path, reason]): FactDoubt[] => (isSo ? [[path, reason]] : []));
}

function endDoubts(entries: readonly PolicyEntry[], begins: number): Problem[] {
  return entries
    .filter((entry) => !holdingAt(begins)(entry))
    .map((entry) =>
      about(entry, 'its "until" is over before it could say anything; give a later time'),
    );
}

/** On machines whose own settings are as delivered. */
function neverDoubts(profile: Profile): Problem[] {
  const never = neededGrants(profile, null).usually.filter(({ grant }) => grant === null);
  return never
    .flatMap(({ settings }) => settings)
    .flatMap(({ key, network }) => {
      const part =
        network === undefined
          ? profile
          : profile.networks.find(({ match }) => matchText(match) === network);
      return part?.entries.filter((one) => one.key === key) ?? [];
    })
    .map((entry) =>
      about(
        entry,
        'it holds on no machine, whatever is allowed: only a policy of the machine can do this; leave it out',
      ),
    );
}

/** What belongs to the entry, not to its value, stands beside the value; people find it by the line. */
function about(entry: PolicyEntry, reason: string): Problem {
  return entry.problem([], reason);
}

/** A code that a person needs in order to pause helps nothing while the same person may take Sotto out of the way without one. */
function pauseDoubts(entries: readonly PolicyEntry[]): Problem[] {
  const find = (key: SettingKey) => entries.find((one) => one.key === key);
  const [pause, take] = [find('pause'), find('systemDns.take')];
  if (pause?.value !== 'code') return [];
  const end = (entry: PolicyEntry) => entry.until ?? Infinity;
  const isHeld = take?.lock === true && take.value === true && end(take) >= end(pause);
  return [
    ...(pause.lock
      ? []
      : [about(pause, 'it is not locked, so that a setting of the person counts; lock it')]),
    ...(isHeld
      ? []
      : [
          about(
            pause,
            'without "systemDns.take": true, locked for as long, nobody needs a code to give the system\'s DNS back; lock that as well',
          ),
        ]),
  ];
}

/** Where the system's DNS stays with Sotto, and what says where internal names go ends. */
function takeDoubts(entries: readonly PolicyEntry[]): Problem[] {
  const take = entries.find(({ key, value }) => key === 'systemDns.take' && value === true);
  if (take === undefined) return [];
  const last = take.until ?? Infinity;
  return entries
    .filter(({ key, until }) => routing.includes(key) && until !== null && until < last)
    .map((entry) =>
      about(
        entry,
        "it ends while the system's DNS stays with Sotto: from then on its names go to whatever upstream there is, internal ones as well; give both the same end if they are internal",
      ),
    );
}

const routing: readonly SettingKey[] = ['upstreams', 'groups', 'bypass'];

/** What fits together now need not, once some of it has ended. */
function laterDoubts(file: string, profile: Profile, now: number): Problem[] {
  const all = [profile, ...profile.networks].flatMap(({ entries }) => entries);
  const ends = new Set(all.flatMap(({ until }) => (until !== null && until > now ? [until] : [])));
  return [...ends].flatMap((end) => {
    const stays = <Part extends { entries: PolicyEntry[] }>(part: Part): Part => ({
      ...part,
      entries: part.entries.filter(holdingAt(end)),
    });
    const later = { ...stays(profile), networks: profile.networks.map(stays) };
    const when = new Date(end).toISOString();
    return contradictions(file, later).map((problem) => ({
      ...problem,
      reason: `from ${when} on, when another entry has ended: ${problem.reason}`,
    }));
  });
}
