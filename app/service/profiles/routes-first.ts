/**
 * A version that says where names go does so as a whole. While its upstreams, groups or rules wait, nothing of it may send names to
 * upstreams that went elsewhere before, or to nobody: internal ones would go to whatever upstream the machine has meanwhile. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { matchText } from '../../contract/settings/network-match.ts';
import {
  type FlatSettings,
  type SettingKey,
  settingDeclarations,
} from '../../contract/settings/settings.ts';
import { loosensProtection, losesRules } from '../settings/loosening-change.ts';
import { asHeld, type PolicyEntry } from '../settings/policy-file.ts';
import type { DecidedEntries, WaitingEntry } from './decide-entries.ts';
import type { HeldNetwork } from './networks/decide-networks.ts';

/** What decides which server gets a name, and whom it trusts to be that server. */
const routing: readonly SettingKey[] = ['upstreams', 'groups', 'bypass', 'learnRules'];

/** While a setting with this key waits, so does what would send names to upstreams. */
export function isRouting(key: string): boolean {
  return routing.some((one) => one === key);
}

type Sends = (key: SettingKey, now: unknown, then: unknown) => boolean;
const byMore: Sends = (key, now, then) => loosensProtection(key, now, then);
const byFewer: Sends = (key, now, then) => loosensProtection(key, then, now);
const byAny: Sends = (_key, now, then) => !isDeepStrictEqual(now, then);

/** Whether a change sends names to upstreams that did not go there. */
const sending: Partial<Record<SettingKey, Sends>> = {
  'systemDns.take': byFewer,
  // Fewer of them, or another order, sends to those that stay what the others had.
  upstreams: byAny,
  groups: byAny,
  strategy: byAny,
  bypass: (_key, now, then) => losesRules(now as BypassRule[], then as BypassRule[]),
  learnRules: byFewer,
  forwardSpecial: byMore,
  'crossCheck.names': byMore,
};

/** Why something has to wait. */
export type Behind = Required<Pick<WaitingEntry, 'grant' | 'behind'>>;

export type DecidedVersion = DecidedEntries & { networks: HeldNetwork[] };

/** `unread`: keys that could never be read; what is no setting may have been meant for any. */
export function behindOf(
  waiting: readonly WaitingEntry[],
  unread: readonly string[],
): Behind | null {
  const waits = waiting.find(({ key }) => isRouting(key));
  if (waits !== undefined) return { grant: waits.grant, behind: waits.key };
  const faulty = unread.find((key) => isRouting(key) || !Object.hasOwn(settingDeclarations, key));
  return faulty === undefined ? null : { grant: null, behind: faulty };
}

/** Keys of the entries that contradict other settings, so that something else holds in their place. */
export function gaveWay(
  meant: readonly PolicyEntry[],
  holding: readonly PolicyEntry[],
): SettingKey[] {
  return meant
    .filter(
      ({ key, value, lock }) =>
        !holding.some(
          (one) => one.key === key && one.lock === lock && isDeepStrictEqual(one.value, value),
        ),
    )
    .map(({ key }) => key);
}

interface Former {
  before: Pick<DecidedVersion, 'entries' | 'networks'>;
  /** what would hold here without the profile */
  without: FlatSettings;
  /** settings of which other things hold than the version says, so that they send nothing anywhere */
  givingWay: readonly SettingKey[];
}

export function withRoutesFirst(
  decided: DecidedVersion,
  waits: Behind | null,
  { before, without, givingWay }: Former,
): DecidedVersion {
  const contradicting = givingWay.find(isRouting);
  const behind =
    waits ?? (contradicting === undefined ? null : { grant: null, behind: contradicting });
  if (behind === null) return decided;
  const elsewhere = holdBack(
    { now: decided.entries, before: before.entries, behind, givingWay },
    (key) => without[key],
  );
  const isMeant = ({ match }: HeldNetwork) =>
    decided.networks.some((one) => matchText(one.match) === matchText(match));
  const ended = before.networks.filter((one) => !isMeant(one));
  const all = [...decided.networks, ...ended.map((one) => ({ ...one, entries: [] }))];
  const networks = all.map((network) => {
    const match = matchText(network.match);
    const there = before.networks.find((one) => matchText(one.match) === match)?.entries ?? [];
    const held = holdBack({ now: network.entries, before: there, behind, givingWay: [] }, (key) =>
      valueIn(before.entries, key, without[key]),
    );
    return {
      network: { ...network, entries: held.entries },
      waiting: held.waiting.map((one) => ({ ...one, network: match })),
    };
  });
  return {
    ...decided,
    entries: elsewhere.entries,
    networks: networks.flatMap(({ network }) => (network.entries.length > 0 ? [network] : [])),
    waiting: [
      ...decided.waiting,
      ...elsewhere.waiting,
      ...networks.flatMap(({ waiting }) => waiting),
    ],
  };
}

interface Place extends Pick<Former, 'givingWay'> {
  now: readonly PolicyEntry[];
  before: readonly PolicyEntry[];
  behind: Behind;
}

/** `otherwise`: what holds at this place where nothing is said of a setting. */
function holdBack(
  { now, before, behind, givingWay }: Place,
  otherwise: (key: SettingKey) => unknown,
): { entries: PolicyEntry[]; waiting: WaitingEntry[] } {
  const keys = (Object.keys(sending) as SettingKey[]).filter((key) => {
    const [held, meant] = [before, now].map((entries) => valueIn(entries, key, otherwise(key)));
    return !givingWay.includes(key) && sending[key]?.(key, held, meant) === true;
  });
  const isKept = ({ key }: PolicyEntry) => !keys.includes(key);
  const former = before.filter((entry) => !isKept(entry)).map(asHeld);
  return {
    entries: [...now.filter(isKept), ...former],
    waiting: keys.map((key) => ({ key, ...behind })),
  };
}

function valueIn(entries: readonly PolicyEntry[], key: SettingKey, otherwise: unknown): unknown {
  return entries.find((one) => one.key === key)?.value ?? otherwise;
}
