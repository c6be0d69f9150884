/** What makes a version useless or dangerous although nothing in it is wrong. Pure. */
import type { SettingKey } from '../../../contract/settings/settings.ts';
import { holdingAt, type PolicyEntry } from '../../settings/policy-file.ts';
import type { Problem } from '../../settings/settings-text.ts';
import { readPublicKey } from '../minisign.ts';
import type { Profile } from '../profile-file.ts';
import { entriesTogether } from './entries-together.ts';
import { contradictions } from './lint.ts';

export function doubtsAbout(file: string, profile: Profile, now: number): Problem[] {
  const facts = factDoubts(profile, now).map(([path, reason]) => ({
    ...{ file, path, line: null, reason },
  }));
  const entries = entriesTogether(profile).flatMap((together) => [
    ...pauseDoubts(together),
    ...takeDoubts(together),
  ]);
  const all = [
    ...facts,
    ...endDoubts(profile, now),
    ...entries,
    ...laterDoubts(file, profile, now),
  ];
  const said = all.map(({ path, reason }) => `${path} ${reason}`);
  return all.filter((_, position) => said.indexOf(said[position] ?? '') === position);
}

type FactDoubt = [path: string, reason: string];

/** After it, no larger serial could be written. */
const lastSerials = Number.MAX_SAFE_INTEGER - 1000;

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

function endDoubts({ entries, networks, notBefore }: Profile, now: number): Problem[] {
  const begins = Math.max(now, notBefore === undefined ? 0 : Date.parse(notBefore));
  return [...entries, ...networks.flatMap((one) => one.entries)]
    .filter((entry) => !holdingAt(begins)(entry))
    .map((entry) =>
      about(entry, 'its "until" is over before it could say anything; give a later time'),
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
