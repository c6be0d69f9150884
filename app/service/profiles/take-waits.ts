/**
 * A version takes the system's DNS only together with what says where internal names go. While a part of that waits, every program would
 * ask Sotto, and internal names would go to whatever upstream the machine has instead. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { matchText } from '../../contract/settings/network-match.ts';
import { type SettingKey, settingDeclarations } from '../../contract/settings/settings.ts';
import type { PolicyEntry } from '../settings/policy-file.ts';
import type { DecidedEntries, WaitingEntry } from './decide-entries.ts';
import type { HeldNetwork } from './networks/decide-networks.ts';

/** What decides which server gets a name, and whom it trusts to be that server. */
const routing: readonly SettingKey[] = ['upstreams', 'groups', 'bypass', 'learnRules'];

export type DecidedVersion = DecidedEntries & { networks: HeldNetwork[] };

type Held = Pick<DecidedVersion, 'entries' | 'networks'>;

/** Why a new take has to wait. */
export type Behind = Required<Pick<WaitingEntry, 'grant' | 'behind'>>;

/** `held`: what takes the system's DNS already stays. */
export function withTakeBehind(
  decided: DecidedVersion,
  behind: Behind | null,
  before: Held,
): DecidedVersion {
  if (behind === null) return decided;
  const takesAlready = before.entries.some(isTake);
  const isNew = (match: string | null) =>
    !takesAlready &&
    !before.networks.some((one) => matchText(one.match) === match && one.entries.some(isTake));
  const places = [
    { match: null, entries: decided.entries },
    ...decided.networks.map(({ match, entries }) => ({ match: matchText(match), entries })),
  ].filter(({ match, entries }) => isNew(match) && entries.some(isTake));
  const stays = (match: string | null, entries: PolicyEntry[]) =>
    places.some((place) => place.match === match)
      ? entries.filter((entry) => !isTake(entry))
      : entries;
  const waiting = places.map(
    ({ match }): WaitingEntry => ({
      ...{ key: take, ...behind },
      ...(match === null ? {} : { network: match }),
    }),
  );
  return {
    ...decided,
    entries: stays(null, decided.entries),
    networks: decided.networks
      .map((network) => ({ ...network, entries: stays(matchText(network.match), network.entries) }))
      .filter(({ entries }) => entries.length > 0),
    waiting: [...decided.waiting, ...waiting],
  };
}

export const take = 'systemDns.take' satisfies SettingKey;

export function isTake({ key, value }: Pick<PolicyEntry, 'key' | 'value'>): boolean {
  return key === take && value === true;
}

/** `unread`: keys that could never be read; what is no setting may have been meant for any. */
export function behindOf(
  waiting: readonly WaitingEntry[],
  unread: readonly string[],
): Behind | null {
  const waits = waiting.find(({ key }) => routing.includes(key));
  if (waits !== undefined) return { grant: waits.grant, behind: waits.key };
  const faulty = unread.find((key) => isRouting(key) || !Object.hasOwn(settingDeclarations, key));
  return faulty === undefined ? null : { grant: null, behind: faulty };
}

/** What holds of the version contradicts other settings, so that something else holds in its place. */
export function behindContradiction(
  meant: readonly PolicyEntry[],
  holding: readonly PolicyEntry[],
): Behind | null {
  const missing = meant.find(
    ({ key, value }) =>
      isRouting(key) &&
      !holding.some((one) => one.key === key && isDeepStrictEqual(one.value, value)),
  );
  return missing === undefined ? null : { grant: null, behind: missing.key };
}

/** While a setting with this key waits, so does a take. */
export function isRouting(key: string): boolean {
  return routing.some((one) => one === key);
}
