/** What of a profile's `networks` holds, once its machine is on such a network; judged as the other entries are. Pure. */
import { matchText, type NetworkMatch } from '../../../contract/settings/network-match.ts';
import type { FlatSettings, SettingKey } from '../../../contract/settings/settings.ts';
import { isPrivate, type UpstreamSetting } from '../../../contract/settings/upstream-settings.ts';
import type { PolicyEntry } from '../../settings/policy-file.ts';
import {
  type DecidedEntries,
  decideEntries,
  type Situation,
  takesAway,
  type WaitingEntry,
} from '../decide-entries.ts';
import type { ProfileNetwork, ProfileRead } from '../profile-file.ts';

export interface HeldNetwork {
  match: NetworkMatch;
  entries: PolicyEntry[];
  /** what of it takes protection away, and therefore needs more than that the network looks like it */
  loosening: SettingKey[];
}

interface DecidedNetworks {
  networks: HeldNetwork[];
  waiting: WaitingEntry[];
  kept: SettingKey[];
}

/** `everywhere`: the entries of this version that hold on every network. */
export function decideNetworks(
  read: ProfileRead,
  everywhere: readonly PolicyEntry[],
  before: readonly HeldNetwork[],
  { allowed, without }: Omit<Situation, 'before'>,
): DecidedNetworks {
  const elsewhere = without.flatMap((settings) => [
    over(settings, everywhere),
    over(
      settings,
      everywhere.filter(({ lock }) => lock),
    ),
  ]);
  const formerOf = (match: NetworkMatch) =>
    before.find((one) => matchText(one.match) === matchText(match))?.entries ?? [];

  function decide(network: ProfileNetwork): DecidedEntries {
    const stopped = network.entries.filter(
      (entry) => canLetNamesOut(entry) && takesAway(entry, everywhere, elsewhere),
    );
    const rest = network.entries.filter((entry) => !stopped.includes(entry));
    const { entries, waiting, kept } = judge({ ...network, entries: rest });
    return {
      entries,
      waiting: [
        ...stopped.map(({ key }) => ({ key, grant: null })),
        ...waiting.filter(({ key }) => !isAbout(key, stopped)),
      ],
      kept,
    };
  }

  function judge(network: ProfileNetwork): DecidedEntries {
    const former = formerOf(network.match);
    const isMeant = (key: SettingKey) =>
      isAbout(key, network.entries) || network.unread.includes(key);
    const said = everywhere.filter(({ key }) => isMeant(key) && !isAbout(key, former));
    const part = partOf(read, network);
    return decideEntries(part, { before: [...former, ...said], allowed, without: elsewhere });
  }

  const meant = read.profile?.networks ?? [];
  const dropped = before.filter(({ match }) => !meant.some((one) => isSame(one.match, match)));
  const all = [...meant, ...dropped.map(({ match }) => ({ ...nothing, match }))];
  const decided = all.map((network) => ({ match: network.match, ...decide(network) }));
  return {
    networks: decided
      .filter(({ entries }) => entries.length > 0)
      .map(({ match, entries }) => ({ match, entries, loosening: loosening(entries) })),
    waiting: decided.flatMap(({ match, waiting }) =>
      waiting.map((one) => ({ ...one, network: matchText(match) })),
    ),
    kept: decided.flatMap(({ kept }) => kept),
  };

  function loosening(entries: readonly PolicyEntry[]): SettingKey[] {
    return entries.filter((entry) => takesAway(entry, everywhere, elsewhere)).map(({ key }) => key);
  }
}

/**
 * It could let names leave in cleartext on the next network, in the moment before the service has layered its settings anew. Bypass
 * rules are bound to the network in the engine (holding-here.ts).
 */
function canLetNamesOut({ key, value }: PolicyEntry): boolean {
  if (key === 'upstreams')
    return (value as readonly UpstreamSetting[]).some(({ transport }) => !isPrivate(transport));
  return permitting.includes(key);
}

const permitting: readonly SettingKey[] = [
  'downgrade',
  'rungs',
  'refuseFor',
  'consent',
  'groups',
  'systemResolvers',
];

const nothing = { entries: [], unread: [], unreadLocks: [] };

function partOf(
  { profile, problems }: ProfileRead,
  { entries, unread, unreadLocks }: ProfileNetwork,
): ProfileRead {
  return { profile: profile && { ...profile, entries }, problems, unread, unreadLocks };
}

function over(settings: FlatSettings, entries: readonly PolicyEntry[]): FlatSettings {
  return { ...settings, ...Object.fromEntries(entries.map(({ key, value }) => [key, value])) };
}

const isSame = (one: NetworkMatch, other: NetworkMatch) => matchText(one) === matchText(other);

function isAbout(key: SettingKey, entries: readonly PolicyEntry[]): boolean {
  return entries.some((one) => one.key === key);
}
